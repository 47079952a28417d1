import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

const stop = client.observe((observation) => {
  if (observation.type === 'poll-sent')
    console.log(observation.tool, observation.reason)
  if (observation.type === 'call-settled')
    console.log(observation.tool, observation.phase, `${observation.ms} ms`)
})

addEventListener('pagehide', stop)
