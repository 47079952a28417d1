import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export type Variables = Record<string, string | undefined>

/** The first of some programs that is installed and may be run. */
export function installed(names: readonly string[], { PATH = '' }: Variables = process.env): string | undefined {
  const paths = names.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)))
  return paths.find((path) => isExecutable(path) && !isSnap(path))
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A snap sees a /tmp of its own, and so not the profile that is made there. */
function isSnap(path: string): boolean {
  return realpathSync(path).endsWith('/snap') || path.startsWith('/snap/')
}
