import { useQuery, VueQueryPlugin } from '@tanstack/vue-query'
import { createApp, defineComponent, h } from 'vue'
import { reportOptions, textOf } from './report.js'

const Report = defineComponent(() => {
  const { data, error, refetch } = useQuery(reportOptions('vue'))
  return () => [
    h('button', { onClick: () => refetch() }, 'Again'),
    error.value && h('p', { role: 'alert' }, error.value.message),
    data.value && h('output', textOf(data.value)),
  ]
})

createApp(Report).use(VueQueryPlugin).mount('#root')
