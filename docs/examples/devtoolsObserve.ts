import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

const stop = client.observe(
  (observation) => {
    if (observation.type === 'poll-sent')
      console.log(observation.callId, 'polled:', observation.reason)
    if (observation.type === 'wire-answered')
      console.log(observation.method, observation.http?.status, observation.ms)
  },
  { wire: true }, // without it, messages are not observed
)

addEventListener('pagehide', stop)
