import { createTaskClient, webSocket } from 'taskwire/bridge'

// A page of a backend that has the client: it lists every call of its user, and starts and answers calls.
const hasSocket = document.body.dataset['carrier'] === 'a WebSocket'
const client = createTaskClient({ url: '/api/calls', ...(hasSocket && { carrier: webSocket() }) })
const status = document.createElement('p')
const list = document.createElement('ul')
document.body.append(status, list)

function addButton(text: string, press: () => void): void {
  const button = document.createElement('button')
  button.textContent = text
  button.onclick = press
  document.body.append(button)
}

for (const key of ['first', 'second'])
  addButton(`Start ${key}`, () => void client.startToolCall({ name: 'report', arguments: { key } }, { key }))
addButton('Ask', () => void client.startToolCall({ name: 'ask' }, { key: 'question' }))
addButton('Yes', () => {
  for (const { callId, inputRequests } of Object.values(client.store.getState().calls))
    for (const inputKey of Object.keys(inputRequests))
      void client.getToolCall(callId)?.respond(inputKey, { action: 'accept', content: { ok: true } })
})

function show(): void {
  const { connection, calls } = client.store.getState()
  status.textContent = connection.status
  const items = Object.values(calls).map(({ key, phase, network, result, task }) => {
    const item = document.createElement('li')
    const [text] = result?.content ?? []
    item.textContent = [key, phase, network, task?.statusMessage, text?.type === 'text' ? text.text : '']
      .filter(Boolean)
      .join(', ')
    return item
  })
  list.replaceChildren(...items)
}

client.store.subscribe(show)
show()
void client.resumeToolCalls()
