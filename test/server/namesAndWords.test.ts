import { createTaskWorker, defineTool } from 'taskwire/server'
import { bullmqQueue } from 'taskwire/server/bullmq'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { slow, text } from './support/tools.js'

const META = 'dev.taskwire/idempotencyKey'
const KEY = 'f81d4fae7dec11d0a76500a0c91e6bf6'
const keyed = (key = KEY) => ({ meta: { [META]: key } })
const info = { name: 'test', version: '1.0.0' }
it.each(['charge', 'constructor', 'toString', '__proto__'])('once(%s) runs', async (name) => {
  const tool = defineTool({
    ...slow,
    async handler(_, { once }) {
      return text(await once(name, () => 'ran'))
    },
  })
  const t = startServer({ tools: [tool] })
  expect(await t.get(await t.start('slow'))).toMatchObject({ status: 'completed', result: text('ran') })
})

it('the key of a client cannot stand in the way of runAgain', async () => {
  const clock = createManualClock()
  const store = new SharedStore()
  const queue = createMemoryQueue()
  let fails = true
  const tool = defineTool({
    name: 'pay',
    inputSchema: z.object({ amount: z.number() }),
    taskSupport: 'optional',
    handler({ amount }) {
      if (fails) throw new Error('down')
      return text(`paid ${amount}`)
    },
  })
  const t = startServer({ clock, store, executor: queue, tools: [tool, slow] })
  const worker = createTaskWorker({ serverInfo: info, store, clock, tools: [tool, slow], queue, onError: () => {} })
  onTestFinished(() => worker.close())
  const id = await t.start('pay', { amount: 5 })
  await settle()
  fails = false
  await t.start('slow', { ms: 1 }, keyed(`run again: ${id}`))
  expect(await t.server.operator.runAgain(id)).toMatchObject({ tool: 'pay' })
})

it('errors of the queue name no task', async () => {
  const lines: string[] = []
  const listeners: ((error: Error) => void)[] = []
  let jobId = ''
  const base = { waitUntilReady: async () => {}, close: async () => {} }
  // Called with `new`, so no arrow functions.
  function Worker() {
    const on = (_: string, listener: (error: Error) => void) => listeners.push(listener)
    return { ...base, on, run: async () => {}, pause: async () => {}, resume: () => {} }
  }
  function Queue() {
    const add = async (_name: string, _job: unknown, options: { jobId: string }) => {
      jobId = options.jobId
    }
    return { ...base, on: () => {}, add, getWaitingCount: async () => 0 }
  }
  const queue = bullmqQueue({ Queue, Worker, connection: {} } as never)
  const store = new SharedStore()
  const clock = createManualClock()
  const write = (message: string, fields: object) =>
    void lines.push(message + JSON.stringify(fields, (_, value) => (value instanceof Error ? value.message : value)))
  const logger = { error: write, warn: write, info: write, debug: write }
  const t = startServer({ store, clock, executor: queue, tools: [slow] })
  const worker = createTaskWorker({ serverInfo: info, store, clock, queue, tools: [slow], logger })
  onTestFinished(() => worker.close())
  const id = await t.start('slow')
  // In the words of BullMQ.
  for (const listener of listeners) listener(new Error(`could not renew lock for job ${jobId}`))
  expect(lines.join()).toContain('could not renew lock')
  expect(lines.join()).not.toContain(id)
})

it('the second round of a plain call during an outage is refused with 503', async () => {
  const store = new SharedStore()
  const tool = defineTool({
    name: 'work',
    inputSchema: z.object({}),
    taskSupport: 'optional',
    async handler(_, { elicit }) {
      const answer = await elicit({ message: 'Name?', requestedSchema: z.object({ name: z.string() }) })
      return text(JSON.stringify(answer))
    },
  })
  const t = startServer({ store, tools: [tool] })
  const PLAIN = { capabilities: { elicitation: { form: {} } } }
  const first = await t.call('work', {}, PLAIN)
  const requestState = first.result?.['requestState']
  expect(requestState).toBeTruthy()
  const { get } = store
  store.get = () => Promise.reject(new Error('away'))
  const inputResponses = { 'elicitation-1': { action: 'accept', content: { name: 'Ann' } } }
  const second = await t.rpc('tools/call', { name: 'work', arguments: {}, requestState, inputResponses }, PLAIN)
  store.get = get
  console.log(second.status, JSON.stringify(second.error))
  expect(second).toMatchObject({ status: 503 })
})
