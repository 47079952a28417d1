import { createTaskClient } from 'taskwire'

const client = createTaskClient({ url: 'https://example.com/mcp' })
const output = document.body.appendChild(document.createElement('pre'))

client.store.subscribe(({ calls }) => {
  const lines = Object.values(calls).map(
    ({ name, phase, task }) => `${name}: ${task?.statusMessage ?? phase}`,
  )
  output.textContent = lines.join('\n')
})

const result = await client.callTool(
  { name: 'generate_report', arguments: { quarter: 'Q3' } },
  { key: 'q3-report' }, // one call, however often the page is reloaded
)
output.append('\n', JSON.stringify(result.content))
