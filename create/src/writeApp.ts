import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CreateError } from './createError.js'
import type { Target } from './target.js'

/** Stands in the files of a template for the name of the app. */
const PLACEHOLDER = 'taskwire-app'
/** The files that name the app. */
const NAMED = ['package.json', 'README.md']

/**
 * Writes the files of a template. Overwrites nothing, and if one file cannot be written, removes the others again. All in one
 * turn of the event loop: a listener of a signal runs before it or after it.
 *
 * @param template the folder of the template
 * @throws {CreateError} `WRITE`
 */
export function writeApp(template: string, { path, name }: Target): void {
  const undo: (() => void)[] = []
  try {
    for (const file of filesIn(template)) {
      const to = join(path, renamed(file))
      undo.push(...makeFolder(dirname(to)))
      const content = readFileSync(join(template, file), 'utf8')
      writeFileSync(to, NAMED.includes(file) ? content.replaceAll(PLACEHOLDER, name) : content, { flag: 'wx' })
      undo.push(() => rmSync(to))
    }
  } catch (error) {
    for (const step of undo.reverse()) step()
    throw new CreateError('WRITE', `Failed to write the app, and nothing of it is left: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length)
        .replace(/^[\\/]/, ''),
    )
    .sort()
}

/** npm leaves a `.gitignore` out of what it packs. */
function renamed(file: string): string {
  return file === '_gitignore' ? '.gitignore' : file
}

/** Makes a folder and those around it, and returns what removes those that were not there, the outermost first. */
function makeFolder(folder: string): (() => void)[] {
  const outermost = mkdirSync(folder, { recursive: true })
  if (outermost === undefined) return []
  const undo = [() => rmdirSync(outermost)]
  for (let at = folder; at.length > outermost.length; at = dirname(at)) {
    const made = at
    undo.splice(1, 0, () => rmdirSync(made))
  }
  return undo
}
