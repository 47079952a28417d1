import { createTaskServer } from 'taskwire/server'
import { createStorage } from 'unstorage'
import fsDriver from 'unstorage/drivers/fs'
import { createFileLock, UnstorageTaskStore } from './serverUnstorage.ts'

export const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [],
  store: new UnstorageTaskStore(
    createStorage({ driver: fsDriver({ base: './data/tasks' }) }),
    createFileLock('./data/locks'),
  ),
})
