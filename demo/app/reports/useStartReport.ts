import { useTaskClient } from 'taskwire/react'
import type { ReportInput } from '../../shared/report.js'
import { saveReport } from './savedReport.js'

/** Starts a report. Each has a key of its own, so that it is listed after a reload, also when it has ended. */
export function useStartReport(): (input: ReportInput) => void {
  const client = useTaskClient()
  return (input) => {
    const { callId } = client.startToolCall({ name: 'generate_report', arguments: input }, { key: crypto.randomUUID() })
    saveReport(callId, input)
  }
}
