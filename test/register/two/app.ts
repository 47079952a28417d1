// An app that declares two clients where there is room for one.
import { createTaskClient } from 'taskwire'
import { useToolCall } from 'taskwire/react'

export const reports = createTaskClient<{ generate_report: { arguments: { quarter: string } } }>({ url: '/reports' })
export const photos = createTaskClient<{ resize: { arguments: { width: number } } }>({ url: '/photos' })

declare module 'taskwire' {
  interface Register {
    client: typeof reports | typeof photos
  }
}

export function useReport() {
  return useToolCall({ name: 'generate_report', arguments: { quarter: 'Q1' } })
}

/** Each hook may be told whose tools it calls. */
export function useReportOfReports() {
  return useToolCall({ client: reports, name: 'generate_report', arguments: { quarter: 'Q1' } })
}
