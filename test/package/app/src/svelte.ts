import { QueryClient } from '@tanstack/svelte-query'
import { mount } from 'svelte'
import Report from './Report.svelte'

const queryClient = new QueryClient()
queryClient.mount()
mount(Report, { target: document.getElementById('root') ?? document.body, props: { queryClient } })
