import { useToolCall, useToolCallMutation } from 'taskwire/react'
import { Problem } from './errors'

/** Runs because it is on the page: it can always run again. */
export function Report() {
  const { error, retry } = useToolCall({
    name: 'generate_report',
    arguments: { quarter: 'Q3' },
  })
  return error && <Problem error={error} retry={retry} />
}

/**
 * Runs when the user presses the button, which also starts it again after a
 * reload.
 */
export function ReportButton() {
  const { mutate, error, retry } = useToolCallMutation({
    name: 'generate_report',
    key: 'weekly',
  })
  return (
    <>
      <button type="button" onClick={() => mutate({ quarter: 'Q3' })}>
        Generate the weekly report
      </button>
      {error && <Problem error={error} retry={retry} />}
    </>
  )
}
