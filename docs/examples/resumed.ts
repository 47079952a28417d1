import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

// When the page starts: what earlier visits have left running.
for (const call of await client.resumeToolCalls()) {
  console.log(call.getState().name, 'goes on')
  call.result.then(({ content }) => console.log(content), console.error)
}
