import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TaskConfigurationError } from 'taskwire'
import { fileStorage } from 'taskwire/backend'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testStorage } from './storageContract.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwire-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('fileStorage', () => testStorage(() => fileStorage(join(folder, 'records'))))

it('keeps each user in a folder of their own, which others cannot read', async () => {
  const own = join(folder, 'modes')
  const storage = fileStorage(own)
  await storage.setItem('taskwire:1:ada:call', 'secret')
  await storage.setItem('taskwire:1:eve:call', 'secret')
  const folders = await readdir(own)
  expect(folders).toHaveLength(2)
  expect((await stat(join(own, folders[0] ?? ''))).mode & 0o077).toBe(0)
  expect((await stat(join(own, folders[0] ?? '', 'call'))).mode & 0o077).toBe(0)
})

it('does not list what a killed process has left half written, and removes it after an hour', async () => {
  const own = join(folder, 'drafts')
  const storage = fileStorage(own)
  await storage.setItem('taskwire:1:ada:call', 'whole')
  const [name = ''] = await readdir(own)
  const [fresh, old] = [join(own, name, 'call.1.draft'), join(own, name, 'call.2.draft')]
  await writeFile(fresh, 'ha')
  await writeFile(old, 'ha')
  const twoHoursAgo = Date.now() / 1000 - 7200
  await utimes(old, twoHoursAgo, twoHoursAgo)
  expect(await storage.keys('taskwire:1:ada:')).toEqual(['taskwire:1:ada:call'])
  expect((await readdir(join(own, name))).sort()).toEqual(['call', 'call.1.draft'])
})

it('lists its records and no others, although files and folders of other programs are among them', async () => {
  const own = join(folder, 'finder')
  const storage = fileStorage(own)
  await storage.setItem('taskwire:1:ada:call', 'ours')
  const [ada = ''] = await readdir(own)
  for (const place of [own, join(own, ada)]) {
    await writeFile(join(place, '.DS_Store'), 'theirs')
    await writeFile(join(place, '100%'), 'theirs')
    await mkdir(join(place, '@eaDir'))
    await mkdir(join(place, '50%'))
    await writeFile(join(place, '50%', 'call'), 'theirs')
  }
  expect(await storage.keys()).toEqual(['taskwire:1:ada:call'])
  expect(await storage.keys('taskwire:1:ada:')).toEqual(['taskwire:1:ada:call'])
})

it('says what is wrong: no folder, and a folder that is a file', async () => {
  expect(() => fileStorage('')).toThrow(TaskConfigurationError)
  expect(() => fileStorage(undefined as never)).toThrow(/must be the name of a folder/)
  const file = join(folder, 'a file')
  await writeFile(file, '')
  await mkdir(join(folder, 'other'))
  await expect(fileStorage(file).setItem('taskwire:1:ada:call', 'x')).rejects.toThrow(/ENOTDIR|EEXIST/)
})
