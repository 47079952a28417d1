import { useToolCallMutation } from 'taskwire/react'

export function ReportButton() {
  const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
  const { call, cancel, isCancelling } = report
  const isAsking = call?.phase === 'input_required'
  const news = isAsking
    ? 'Waiting for your answer.'
    : (call?.task?.statusMessage ?? 'Starting…')
  return (
    <>
      <button
        type="button"
        onClick={() => report.mutate({ quarter: 'Q3' })}
        disabled={report.isPending}
      >
        {report.isSuccess ? 'Generate it again' : 'Generate the weekly report'}
      </button>
      {report.isPending && (
        <p role="status">
          {news}{' '}
          <button type="button" onClick={cancel} disabled={isCancelling}>
            {isCancelling ? 'Cancelling…' : 'Cancel'}
          </button>
        </p>
      )}
      {report.error && (
        <p role={call?.phase === 'cancelled' ? 'status' : 'alert'}>
          {report.error.message}
        </p>
      )}
      {report.data && (
        <p role={report.data.isError ? 'alert' : 'status'}>
          {report.data.content.map((block) =>
            block.type === 'text' ? block.text : '',
          )}
        </p>
      )}
    </>
  )
}
