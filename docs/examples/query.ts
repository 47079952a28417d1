import type { QueryClient } from '@tanstack/react-query'
import type { TaskClient } from 'taskwire'
import { toolCallQueryOptions } from 'taskwire/query'

export function prefetchReport(
  queryClient: QueryClient,
  client: TaskClient,
): Promise<void> {
  return queryClient.prefetchQuery(
    toolCallQueryOptions(client, {
      name: 'generate_report',
      arguments: { quarter: 'Q3' },
    }),
  )
}
