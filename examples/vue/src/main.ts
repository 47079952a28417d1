import { createTaskClient } from 'taskwire'
import { taskClientPlugin } from 'taskwire/vue'
import { createApp } from 'vue'
import App from './App.vue'
import './style.css'

const client = createTaskClient({ url: '/mcp' })

createApp(App).use(taskClientPlugin(client)).mount('#app')
