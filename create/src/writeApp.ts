import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CreateError } from './createError.js'
import type { Target } from './target.js'

/** Stands in the files of a template for the name of the app. */
const PLACEHOLDER = 'taskwire-app'
/** The files that name the app. */
const NAMED = ['package.json', 'README.md']

/** A file or a folder that is there now, and how to remove it. */
interface Made {
  readonly path: string
  remove(): void
}

/**
 * Writes the files of a template. Overwrites nothing, and if one file cannot be written, removes it and the others again. All in
 * one turn of the event loop: a listener of a signal runs before it or after it.
 *
 * @param template the folder of the template
 * @throws {CreateError} `WRITE`; the message names what could not be removed again.
 */
export function writeApp(template: string, { path, name }: Target): void {
  const made: Made[] = []
  try {
    for (const file of filesIn(template)) {
      const to = join(path, renamed(file))
      made.push(...makeFolder(dirname(to)))
      const content = readFileSync(join(template, file), 'utf8')
      const opened = openSync(to, 'wx')
      // Before it is written: a full disk leaves half a file.
      made.push({ path: to, remove: () => rmSync(to) })
      try {
        writeFileSync(opened, NAMED.includes(file) ? content.replaceAll(PLACEHOLDER, name) : content)
      } finally {
        closeSync(opened)
      }
    }
  } catch (error) {
    const left = removeAll(made)
    const outcome = left.length === 0 ? ', and nothing of it is left' : `, and this is left of it: ${left.join(', ')}`
    throw new CreateError('WRITE', `Failed to write the app${outcome}. ${(error as Error).message}`, { cause: error })
  }
}

/** Removes what was made, the last first, and returns the paths of what cannot be removed. */
function removeAll(made: readonly Made[]): string[] {
  return made.toReversed().flatMap(({ path, remove }) => {
    try {
      remove()
      return []
    } catch {
      return [path]
    }
  })
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

/** Makes a folder and those around it, and returns those that were not there, the outermost first. */
function makeFolder(folder: string): Made[] {
  const outermost = mkdirSync(folder, { recursive: true })
  if (outermost === undefined) return []
  const paths = [outermost]
  for (let at = folder; at.length > outermost.length; at = dirname(at)) paths.splice(1, 0, at)
  return paths.map((path) => ({ path, remove: () => rmdirSync(path) }))
}
