import { useState } from 'react'
import { useToolCallMutation } from 'taskwire/react'

export function ReportWithToast() {
  const [toast, setToast] = useState('')
  const report = useToolCallMutation({
    name: 'generate_report',
    key: 'weekly',
    onSettled: (call) =>
      setToast(call.error?.message ?? 'The report is ready.'),
  })
  return (
    <>
      <button
        type="button"
        disabled={report.isPending}
        onClick={() => report.mutate({ quarter: 'Q3' })}
      >
        Generate the weekly report
      </button>
      <p role="status">{toast}</p>
    </>
  )
}
