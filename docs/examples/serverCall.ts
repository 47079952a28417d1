import { createTaskClient } from 'taskwire'

const client = createTaskClient({
  url: 'http://127.0.0.1:3000/mcp',
  storage: 'memory',
})
const call = client.startToolCall({
  name: 'generate_report',
  arguments: { quarter: 'Q3' },
})
call.subscribe(() => console.log(call.getState().task?.statusMessage ?? ''))
console.log((await call.result).content)
await client.close()
