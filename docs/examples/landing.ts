import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: '/mcp' })
const report = { name: 'generate_report' }
const call = client.startToolCall(report, { key: 'q1' })
console.log(await call.result)
