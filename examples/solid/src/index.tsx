import { render } from 'solid-js/web'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/solid'
import './index.css'
import { App } from './App'

const client = createTaskClient({ url: '/mcp' })

render(
  () => (
    <TaskClientProvider client={client}>
      <App />
    </TaskClientProvider>
  ),
  document.getElementById('root')!,
)
