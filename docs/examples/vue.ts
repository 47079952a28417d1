import { useQuery } from '@tanstack/vue-query'
import type { TaskClient } from 'taskwire'
import { toolCallQueryOptions } from 'taskwire/query'

export function useReport(client: TaskClient, props: { quarter: string }) {
  return useQuery(() =>
    toolCallQueryOptions(client, { name: 'generate_report', arguments: { quarter: props.quarter } }),
  )
}
