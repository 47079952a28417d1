import { createTaskClient } from 'taskwire/bridge'
import { subscribeToPush, unsubscribeFromPush } from '../../docs/examples/pushPage.js'

// A page of a backend that sends push messages: it subscribes to them, and starts a call.
const client = createTaskClient({ url: '/api/calls' })
const status = document.createElement('p')
document.body.append(status)

function addButton(text: string, press: () => Promise<unknown>): void {
  const button = document.createElement('button')
  button.textContent = text
  button.onclick = async () => {
    const shown = await press()
    status.textContent = `${text}: ${shown}`
  }
  document.body.append(button)
}

addButton('Subscribe', subscribeToPush)
addButton('Unsubscribe', async () => {
  await unsubscribeFromPush()
  return 'done'
})
addButton('Start', async () => {
  await client.connect()
  const { callId } = client.startToolCall({ name: 'report' }, { key: 'weekly', meta: { title: 'Weekly report' } })
  await new Promise<void>((resolve) => {
    client.store.subscribe(({ calls }) => calls[callId]?.phase === 'working' && resolve())
  })
  return 'working'
})
