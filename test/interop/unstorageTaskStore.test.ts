import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage } from 'unstorage'
import fsDriver from 'unstorage/drivers/fs'
import memoryDriver from 'unstorage/drivers/memory'
import { onTestFinished } from 'vitest'
import { createFileLock, UnstorageTaskStore } from '../../docs/examples/serverUnstorage.js'
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
