import { QueryClient, useQuery } from '@tanstack/solid-query'
import { createEffect, createRoot } from 'solid-js'
import { reportOptions, textOf } from './report.js'

const queryClient = new QueryClient()
queryClient.mount()
const root = document.getElementById('root') ?? document.body
const again = document.createElement('button')
const output = document.createElement('output')

createRoot(() => {
  const report = useQuery(
    () => reportOptions('solid'),
    () => queryClient,
  )
  again.addEventListener('click', () => report.refetch())
  root.append(again)
  createEffect(() => {
    const text = report.error?.message ?? textOf(report.data)
    if (text !== undefined) output.textContent = text
    if (text !== undefined) root.append(output)
  })
})
