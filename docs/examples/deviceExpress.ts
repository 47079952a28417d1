import { toNodeHandler } from '@modelcontextprotocol/node'
import express from 'express'
import { createRecordHandler } from './deviceServer.ts'
import { memoryTable } from './deviceTable.ts'

const path = '/api/task-records'
/**
 * Put the sessions of your app here: find the signed-in user by the cookie of
 * the session.
 */
const users = new Map<string, string>()

const handle = createRecordHandler({
  path,
  table: memoryTable(),
  userOf: async (request) => {
    const [, session = ''] =
      /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []
    return users.get(session)
  },
})

const app = express()
const records = toNodeHandler({ fetch: handle })
// Before any body parser: the handler reads the body, and limits its size.
app.use((req, res, next) =>
  req.path.startsWith(`${path}/`) ? records(req, res) : next(),
)
app.listen(3000)
