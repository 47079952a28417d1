import { createTaskClient } from 'taskwire'
import { taskClientPlugin } from 'taskwire/vue'
import { createApp } from 'vue'
import App from './App.vue'
import './style.css'

const client = createTaskClient({ url: '/mcp' })

// Every call, poll and message, in a panel at the edge of the page. A production
// build leaves it out.
if (import.meta.env.DEV) {
  void import('taskwire/devtools').then(({ mountTaskwireDevtools }) =>
    mountTaskwireDevtools(client),
  )
}

createApp(App).use(taskClientPlugin(client)).mount('#app')
