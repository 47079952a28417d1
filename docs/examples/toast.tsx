import { useState } from 'react'
import { useToolCallMutation } from 'taskwire/react'

export function ReportWithToast() {
  const [toast, setToast] = useState('')
  const report = useToolCallMutation({
    name: 'generate_report',
    key: 'weekly',
    onSettled: ({ error, result }) => {
      // A tool that has failed has a result, too.
      const end = result?.isError ? 'has failed' : 'is ready'
      setToast(error?.message ?? `The report ${end}.`)
    },
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
