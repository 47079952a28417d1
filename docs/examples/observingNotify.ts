import { createTaskClient } from 'taskwire'

declare const button: HTMLButtonElement

const client = createTaskClient({ url: 'https://example.com/mcp' })

// #region notify
import { notifyWhenSettled } from 'taskwire/notify'

const { requestPermission, stop } = notifyWhenSettled(client, {
  title: ({ name, phase }) => (phase === 'completed' ? `${name} is ready` : `${name} has failed`),
  filter: ({ phase }) => phase !== 'cancelled',
})
button.addEventListener('click', requestPermission)

// #endregion notify

export { stop }
