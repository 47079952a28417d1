import { useToolCallMutation } from 'taskwire/react'

export function ReportButton() {
  const report = useToolCallMutation({ name: 'generate_report', key: 'weekly' })
  const { call, cancel, isCancelling } = report
  const isAsking = call?.phase === 'input_required'
  const news = isAsking
    ? 'waiting for your answer'
    : (call?.task?.statusMessage ?? 'starting')
  if (report.isPending) {
    return (
      <button type="button" onClick={cancel} disabled={isCancelling}>
        {isCancelling ? 'Cancelling…' : `Cancel: ${news}`}
      </button>
    )
  }
  return (
    <>
      {report.error && (
        <p role={call?.phase === 'cancelled' ? 'status' : 'alert'}>
          {report.error.message}
        </p>
      )}
      {report.data?.isError && (
        <p role="alert">
          {report.data.content.map((block) =>
            block.type === 'text' ? block.text : '',
          )}
        </p>
      )}
      <button type="button" onClick={() => report.mutate({ quarter: 'Q3' })}>
        {report.isSuccess ? 'Generate it again' : 'Generate the weekly report'}
      </button>
    </>
  )
}
