import { taskClientPlugin } from 'taskwire/vue'
import { createApp } from 'vue'
import App from './App.vue'
import { client } from './client'

createApp(App).use(taskClientPlugin(client)).mount('#app')
