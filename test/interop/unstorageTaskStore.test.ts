import { mkdirSync, mkdtempSync, rmdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage } from 'unstorage'
import fsDriver from 'unstorage/drivers/fs'
import memoryDriver from 'unstorage/drivers/memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFileLock, UnstorageTaskStore } from '../../docs/examples/serverUnstorage.js'
import { nextMacrotask } from '../../src/server/base/nextMacrotask.js'
import { describeTaskStore } from '../server/support/taskStoreContract.js'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'taskwire-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describeTaskStore('UnstorageTaskStore in memory', () => {
  return new UnstorageTaskStore(createStorage({ driver: memoryDriver() }), createFileLock(createFolder()))
})

describeTaskStore('UnstorageTaskStore on disk', () => {
  const folder = createFolder()
  const storage = createStorage({ driver: fsDriver({ base: join(folder, 'tasks') }) })
  return new UnstorageTaskStore(storage, createFileLock(join(folder, 'locks')))
})

describe('createFileLock', () => {
  it('lets one in at a time, also after a process that has crashed', async () => {
    const folder = createFolder()
    leaveStaleLock(join(folder, 'a'))
    const lock = createFileLock(folder)
    let inside = 0
    const enter = () =>
      lock('a', async () => {
        inside += 1
        await nextMacrotask()
        inside -= 1
        return inside
      })
    expect(await Promise.all(Array.from({ length: 20 }, enter))).toEqual(Array.from({ length: 20 }, () => 0))
  })

  it('leaves the lock to another process that has taken it since it was seen to be stale', async () => {
    const folder = createFolder()
    const path = join(folder, 'a')
    leaveStaleLock(path)
    let isTaken = false
    let looks = 0
    const { now } = Date
    // Called each time that the age of the lock has been read.
    vi.spyOn(Date, 'now').mockImplementation(() => {
      looks += 1
      if (looks === 1) {
        rmdirSync(path)
        mkdirSync(path)
        isTaken = true
      } else if (looks === 5) {
        rmdirSync(path)
        isTaken = false
      }
      return now()
    })
    expect(await createFileLock(folder)('a', async () => isTaken)).toBe(false)
  })
})

function leaveStaleLock(path: string): void {
  mkdirSync(path)
  utimesSync(path, 0, 0)
}
