// Pages that come and go while a backend follows a call by alarms: prints what came of it as JSON. It is copied beside an
// installed package and run there: `node sleeper.mjs URL`.
import { setTimeout } from 'node:timers/promises'
import { createTaskClient, webSocket } from 'taskwire/bridge'

const url = process.argv[2] ?? ''
// Node 20 has no WebSocket of its own. That of the example's tools does.
const carrier = webSocket(globalThis.WebSocket ? {} : { WebSocket: (await import('ws')).WebSocket })
const open = () => createTaskClient({ url, carrier })

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
// The object sleeps in between, and the socket stays open.
await setTimeout(15_000)
const later = second.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q1' } }, { key: 'later' })
await later.result
const { status } = second.store.getState().connection
await second.close()
console.log(JSON.stringify({ status, content, endedBeforeMs: openedAt - (state?.endedAt ?? openedAt) }))
