import { useTaskConnection, useToolCallMutation } from 'taskwire/react'
import { SignIn } from './SignIn'

export function Report() {
  const { status, error } = useTaskConnection()
  const report = useToolCallMutation({ name: 'generate_report', key: 'report' })
  if (status === 'unauthorized') return <SignIn />
  if (status === 'failed') return <p role="alert">{error?.message}</p>
  return (
    <>
      <button
        type="button"
        disabled={report.isPending}
        onClick={() => report.mutate({ quarter: 'Q3' })}
      >
        Generate the report
      </button>
      {report.error ? (
        <p role="alert">{report.error.message}</p>
      ) : (
        <pre>
          {report.data
            ? JSON.stringify(report.data)
            : report.call?.task?.statusMessage}
        </pre>
      )}
    </>
  )
}
