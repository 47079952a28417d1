import { createTaskClient as createFullClient } from 'taskwire'
import { createTaskClient as createLiteClient } from 'taskwire/lite'
import type { RenderInput } from '../../demo/shared/render.js'
import { deviceStorage } from '../../docs/examples/deviceStorage.js'
import { idbStorage } from '../../docs/examples/idbStorage.js'

// An app as small as can be: one call with a key, made on load, and what is known of it. The query says where it is recorded, by
// which client it is made, and what the tab is called.
const query = new URLSearchParams(location.search)
const storages = {
  local: 'local',
  session: 'session',
  memory: 'memory',
  indexedDb: idbStorage,
  backend: deviceStorage({ url: '/api/task-records', browserId: query.get('tab') ?? '' }),
} as const
const kind = query.get('storage') ?? 'local'
const createTaskClient = query.get('client') === 'lite' ? createLiteClient : createFullClient
const storage = storages[kind as keyof typeof storages]
// Polls are to be counted, so nothing is pushed.
// The server is told the name of the tab with each request, and when the page decided to send it: a busy machine does so a little later.
let decidedAt: number | undefined
const headers = () => ({ tab: query.get('tab') ?? '', sent: `${decidedAt ?? Date.now()}` })
const client = createTaskClient({ url: '/mcp', push: false, storage, headers })
client.observe((seen) => {
  if (seen.type === 'poll-sent') decidedAt = seen.at
})
const render: RenderInput = { shot: 'harbour', seconds: 6, ending: 'goes well' }
const call = client.startToolCall({ name: 'render_shot', arguments: { ...render } }, { key: 'harbour' })

const output = document.createElement('output')
const forget = document.createElement('button')
forget.textContent = 'Forget'
forget.onclick = () => void client.forget({ callId: call.callId })
document.body.append(output, forget)

function show(): void {
  const { phase, network, error, result } = call.getState()
  const text = result?.content[0]
  output.textContent = [phase, network, error?.message, text?.type === 'text' && text.text].filter(Boolean).join(', ')
}

show()
call.subscribe(show)
