import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

// When the page starts: the calls that earlier visits left running.
for (const call of await client.resumeToolCalls()) {
  console.log(call.getState().name, 'is resumed')
  call.result.then(({ content }) => console.log(content), console.error)
}
