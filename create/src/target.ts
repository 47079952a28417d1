import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { CreateError } from './createError.js'
import { problemOfName, suggestName } from './packageName.js'

/** Where the app goes. */
export interface Target {
  /** An absolute path. */
  readonly path: string
  /** The name of the package: that of the folder. */
  readonly name: string
}

/** What a folder may have that counts as empty. */
const IGNORED = ['.git', '.DS_Store']

/**
 * @param folder as it was typed, from `cwd`
 * @throws {CreateError} `NAME` if the folder has a name that no package can have, `FOLDER` if there is something in it.
 */
export function checkTarget(folder: string, cwd: string): Target {
  const path = resolve(cwd, folder.trim())
  const name = basename(path)
  const problem = problemOfName(name)
  if (problem !== undefined) throw new CreateError('NAME', explainName(name, problem))
  const entries = list(path, folder)
  if (entries.length === 0) return { path, name }
  const some = entries.slice(0, 3).join(', ')
  const rest = entries.length > 3 ? ` and ${entries.length - 3} more` : ''
  throw new CreateError(
    'FOLDER',
    `The folder ${folder} is not empty: it has ${some}${rest}. Nothing is overwritten. Choose another folder, or empty this one.`,
  )
}

function explainName(name: string, problem: string): string {
  const suggestion = suggestName(name)
  const advice = suggestion === undefined ? 'Use lowercase letters, digits and dashes.' : `Try ${suggestion}.`
  return `The app is named after its folder, and "${name}" cannot be the name of a package: it ${problem}. ${advice}`
}

/** What is in the folder; nothing if there is no such folder. */
function list(path: string, folder: string): string[] {
  try {
    return readdirSync(path)
      .filter((entry) => !IGNORED.includes(entry))
      .sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR')
      throw new CreateError('FOLDER', `A file is in the way of ${folder}. Choose another folder.`, { cause: error })
    throw new CreateError('FOLDER', `Failed to read the folder ${folder}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
