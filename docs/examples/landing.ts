import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: '/mcp' })
const call = client.startToolCall({ name: 'report' }, { key: 'sales' })
export const { content } = await call.result
