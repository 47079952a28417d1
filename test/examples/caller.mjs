// A client in Node that calls through a server of an example, as an app of its reader would: prints what came of it as JSON.
// It is copied beside an installed package and run there: `node caller.mjs URL`.
import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: process.argv[2] ?? '', storage: 'memory' })
const progress = new Set()

const report = client.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q3' } })
report.subscribe(({ progress: now }) => now && progress.add(now.progress))
const { content } = await report.result

const cancelled = client.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q2' } })
await new Promise((resolve) => {
  const unsubscribe = cancelled.subscribe(({ progress: now }) => {
    if (now === undefined) return
    unsubscribe()
    resolve(undefined)
  })
})
await cancelled.cancel()

/** @param {Promise<unknown>} result */
const errorOf = (result) =>
  result.then(
    () => undefined,
    ({ name, message }) => ({ name, message }),
  )
const cancellation = await errorOf(cancelled.result)
const failure = await errorOf(client.callTool({ name: 'generate_report', arguments: { quarter: 'Q4' } }))
const { task } = report.getState()
console.log(JSON.stringify({ isTask: task !== undefined, progress: [...progress], content, cancellation, failure }))
await client.close()
