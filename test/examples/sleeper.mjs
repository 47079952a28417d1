// Pages that come and go while a backend follows a call by alarms: prints what came of it as JSON. It is copied beside an
// installed package and run there: `node sleeper.mjs URL`.
import { setTimeout } from 'node:timers/promises'
import { createTaskClient } from 'taskwire/bridge'

const url = process.argv[2] ?? ''
const open = () => createTaskClient({ url })

const first = open()
const call = first.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q3' } }, { key: 'report' })
call.result.catch(() => {})
await new Promise((resolve) => {
  const look = () => call.getState().progress !== undefined && resolve(undefined)
  call.subscribe(look)
  look()
})
await first.close()

// The report takes ten seconds. No page is open, and nothing asks the backend for anything.
await setTimeout(18_000)
const openedAt = Date.now()
const second = open()
await second.connect()
const { content } = await second.startToolCall(
  { name: 'generate_report', arguments: { quarter: 'Q3' } },
  { key: 'report' },
).result
const [state] = Object.values(second.store.getState().calls)
await second.close()
console.log(JSON.stringify({ content, endedBeforeMs: openedAt - (state?.endedAt ?? openedAt) }))
