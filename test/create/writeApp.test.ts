import { existsSync, type PathOrFileDescriptor, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { CreateError } from '../../create/src/createError.js'
import { writeApp } from '../../create/src/writeApp.js'

/** Called in the middle of writing that content, on a disk that is full then. */
let onFullDisk: (() => void) | undefined
const FULL = 'ENOSPC: no space left on device, write'

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const writeFileSync = (to: PathOrFileDescriptor, content: string, options?: object) => {
    if (!onFullDisk || !content.includes('second')) return fs.writeFileSync(to, content, options)
    fs.writeFileSync(to, content.slice(0, 3), options)
    onFullDisk()
    throw new Error(FULL)
  }
  return { ...fs, writeFileSync }
})

let root = ''

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'write-app-'))
  await mkdir(join(root, 'template', 'src'), { recursive: true })
  await writeFile(join(root, 'template', 'a.txt'), 'first')
  await writeFile(join(root, 'template', 'src', 'b.txt'), 'second')
  return () => rm(root, { recursive: true })
})

function write(): unknown {
  try {
    return writeApp(join(root, 'template'), { path: join(root, 'apps', 'mine'), name: 'mine' })
  } catch (error) {
    return error
  }
}

it('writes the app', () => {
  onFullDisk = undefined
  expect(write()).toBeUndefined()
  expect(readFileSync(join(root, 'apps', 'mine', 'src', 'b.txt'), 'utf8')).toBe('second')
})

it('removes the half of a file that was written before the disk was full', () => {
  onFullDisk = () => {}
  const error = write()
  expect(error).toBeInstanceOf(CreateError)
  expect(error).toMatchObject({
    code: 'WRITE',
    message: `Failed to write the app, and nothing of it is left. ${FULL}`,
    cause: new Error(FULL),
  })
  expect(existsSync(join(root, 'apps'))).toBe(false)
})

it('says what it cannot remove again, and removes the rest', async () => {
  const { writeFileSync } = await vi.importActual<typeof import('node:fs')>('node:fs')
  // Somebody else puts a file into the new folder meanwhile.
  onFullDisk = () => writeFileSync(join(root, 'apps', 'mine', 'src', 'theirs.txt'), '')
  const left = [join(root, 'apps', 'mine', 'src'), join(root, 'apps', 'mine'), join(root, 'apps')]
  expect(write()).toMatchObject({
    code: 'WRITE',
    message: `Failed to write the app, and this is left of it: ${left.join(', ')}. ${FULL}`,
  })
  expect(readdirSync(join(root, 'apps', 'mine'))).toEqual(['src'])
  expect(readdirSync(join(root, 'apps', 'mine', 'src'))).toEqual(['theirs.txt'])
})
