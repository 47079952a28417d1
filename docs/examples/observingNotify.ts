import { createTaskClient } from 'taskwire'
import { notifyWhenSettled } from 'taskwire/notify'

const client = createTaskClient({ url: 'https://example.com/mcp' })

export const { requestPermission, stop } = notifyWhenSettled(client, {
  // A tool that has failed has a result, too.
  title: ({ name, result }) =>
    result && !result.isError ? `${name} is ready` : `${name} has failed`,
  filter: ({ phase }) => phase !== 'cancelled',
})

const button = document.body.appendChild(document.createElement('button'))
button.textContent = 'Tell me when reports are ready'
button.addEventListener('click', requestPermission)
