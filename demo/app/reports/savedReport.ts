import type { ToolCallState } from 'taskwire'
import { type ReportInput, reportInput } from '../../shared/report.js'

// Taskwire never stores arguments, which may be private. What a report was asked for is not, and this
// app keeps it, one item for each call, so that a report has its title after a reload.

const itemName = (callId: string) => `taskwire-demo:report:${callId}`

export function saveReport(callId: string, input: ReportInput): void {
  try {
    localStorage.setItem(itemName(callId), JSON.stringify(input))
  } catch {
    // Full or forbidden: the title is lost with the page, the report is not.
  }
}

/** What a report was asked for: from its call, or, after a reload, from storage. */
export function reportInputOf({ callId, arguments: args }: ToolCallState): ReportInput | undefined {
  return reportInput.safeParse(args ?? readSaved(callId)).data
}

export function reportTitle(call: ToolCallState): string {
  return reportInputOf(call)?.title ?? call.name
}

export function deleteSavedReport(callId: string): void {
  try {
    localStorage.removeItem(itemName(callId))
  } catch {
    // Forbidden: then there was nothing to remove.
  }
}

function readSaved(callId: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(itemName(callId)) ?? 'null')
  } catch {
    return undefined
  }
}
