import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: '/mcp' })
const call = client.startToolCall({ name: 'report' }, { key: 'q1' })
console.log(await call.result)
