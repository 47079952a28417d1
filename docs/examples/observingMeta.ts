import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

client.addCallMeta(({ name }) => () => ({
  'com.example/build': '42',
  'com.example/tool': name,
}))
