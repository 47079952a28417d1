import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mustBe } from '../../core/client/mustBe.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import type { TaskStorage } from '../../core/storage/taskStorage.js'
import { groupOf, keyParts } from './keyParts.js'

/** What a killed process has left half written is removed after this time, in ms. */
const DRAFT_MS = 3_600_000

const DRAFT = '.draft'

/** The name for an empty text: no other text has it. */
const EMPTY = '%'

/**
 * Keeps records of calls as files, in a folder for each user: for a backend of one process, or for development. It writes a
 * complete new file and then renames it to replace the old one, so a killed process leaves a complete file, the old or the
 * new one. Only the operating-system user that runs the process can read the files.
 *
 * @param folder Created when the first record is written.
 * @throws {TaskConfigurationError} if `folder` is not the name of a folder.
 *
 * @example
 * ```ts
 * const client = createTaskClient({ url: 'https://mcp.example.com/mcp', storage: fileStorage('.taskwire') })
 * ```
 */
export function fileStorage(folder: string): TaskStorage {
  if (typeof folder !== 'string' || folder === '')
    throw mustBe('The folder of fileStorage', folder, 'the name of a folder')
  const folderOf = (group: string) => join(folder, nameOf(group))
  const fileOf = (key: string) => {
    const { group, rest } = keyParts(key)
    return join(folderOf(group), nameOf(rest))
  }

  async function keysIn(name: string): Promise<string[]> {
    const files = (await orNothing(readdir(join(folder, name)))) ?? []
    await Promise.all(files.filter((file) => file.endsWith(DRAFT)).map((file) => sweep(join(folder, name, file))))
    return files.flatMap((file) => textOf(file) ?? []).map((rest) => textOf(name) + rest)
  }

  return {
    getItem: (key) => orNothing(readFile(fileOf(key), 'utf8')),
    async setItem(key, value) {
      const file = fileOf(key)
      const draft = `${file}.${randomUUID()}${DRAFT}`
      await mkdir(folderOf(keyParts(key).group), { recursive: true, mode: 0o700 })
      await writeFile(draft, value, { mode: 0o600, flush: true })
      await rename(draft, file)
    },
    removeItem: (key) => rm(fileOf(key), { force: true }),
    async keys(prefix = '') {
      const group = groupOf(prefix)
      if (group !== undefined) return keysIn(nameOf(group))
      const found = (await orNothing(readdir(folder, { withFileTypes: true }))) ?? []
      const folders = found.filter((each) => each.isDirectory() && textOf(each.name) !== undefined)
      return (await Promise.all(folders.map(({ name }) => keysIn(name)))).flat()
    },
  }
}

/** A name of a file that differs where the text does, also where a file system takes capitals and small letters for the same. */
function nameOf(text: string): string {
  if (text === '') return EMPTY
  return encodeURIComponent(text).replace(/%..|[A-Z.*'()!~]/g, (sign) =>
    sign.startsWith('%') ? sign.toLowerCase() : `%${sign.charCodeAt(0).toString(16)}`,
  )
}

/** Undefined for a draft, and for what other programs put there, such as `.DS_Store`. */
function textOf(name: string): string | undefined {
  if (name === EMPTY) return ''
  try {
    const text = decodeURIComponent(name)
    return nameOf(text) === name ? text : undefined
  } catch {
    return undefined
  }
}

/** Undefined where there is no such file or folder. */
async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function sweep(draft: string): Promise<void> {
  const found = await orNothing(stat(draft))
  if (found !== undefined && browserEnvironment().now() - found.mtimeMs > DRAFT_MS) await rm(draft, { force: true })
}
