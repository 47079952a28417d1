import { useTaskClient } from 'taskwire/react'
import type { ReportInput } from '../../shared/report.js'
import { saveReport } from './savedReport.js'

/** Starts a report. Without a key, so each start is a call of its own; the store follows it from here. */
export function useStartReport(): (input: ReportInput) => void {
  const client = useTaskClient()
  return (input) => {
    const { callId } = client.startToolCall({ name: 'generate_report', arguments: input })
    saveReport(callId, input)
  }
}
