import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TaskStorage } from 'taskwire'

/** Records of tasks as files, for a backend of one process. With several, keep them in your database. */
export function fileStorage(folder: string): TaskStorage {
  const ready = mkdir(folder, { recursive: true })
  const fileOf = (key: string) => join(folder, encodeURIComponent(key))
  return {
    getItem: (key) => readFile(fileOf(key), 'utf8').catch(() => null),
    async setItem(key, value) {
      await ready
      const draft = `${fileOf(key)}.${crypto.randomUUID()}.draft`
      await writeFile(draft, value)
      await rename(draft, fileOf(key))
    },
    removeItem: (key) => rm(fileOf(key), { force: true }),
    async keys() {
      await ready
      const files = await readdir(folder)
      return files.filter((file) => !file.endsWith('.draft')).map(decodeURIComponent)
    },
  }
}
