import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })

// #region observe
const stop = client.observe((observation) => {
  if (observation.type === 'poll-sent') console.log(observation.tool, observation.reason)
  if (observation.type === 'call-settled') console.log(observation.tool, observation.phase, `${observation.ms} ms`)
})
// #endregion observe

// #region meta
client.addCallMeta(({ name }) => () => ({ 'com.example/build': '42', 'com.example/tool': name }))

// #endregion meta

export { stop }
