/** @jsxImportSource solid-js */
import { Match, Show, Switch } from 'solid-js'
import { TaskCancelledError } from 'taskwire'
import { useToolCall } from 'taskwire/solid'

export function Report(props: { quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4' }) {
  const report = useToolCall(() => ({
    name: 'generate_report',
    arguments: { quarter: props.quarter },
  }))
  const again = () => (
    <button type="button" onClick={() => report.retry()}>
      Try again
    </button>
  )
  // `data` suspends until it is there, so it is read when the call no longer
  // runs.
  const text = () =>
    report.data?.content
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('\n')
  const progress = () => {
    if (report.call?.network === 'retrying') return 'Reconnecting…'
    if (report.call?.phase === 'input_required')
      return 'Waiting for your answer.'
    return report.call?.progress?.message ?? 'Starting…'
  }
  return (
    <Switch
      fallback={
        <Show when={report.data?.isError} fallback={<output>{text()}</output>}>
          <p role="alert">
            {text()} {again()}
          </p>
        </Show>
      }
    >
      <Match when={report.error}>
        {(error) => (
          <p role={error() instanceof TaskCancelledError ? 'status' : 'alert'}>
            {error() instanceof TaskCancelledError
              ? 'The report was cancelled.'
              : error().message}{' '}
            {again()}
          </p>
        )}
      </Match>
      <Match when={report.isPending}>
        <p role="status">
          {progress()}{' '}
          <button
            type="button"
            disabled={report.isCancelling}
            onClick={report.cancel}
          >
            {report.isCancelling ? 'Cancelling…' : 'Cancel'}
          </button>
        </p>
      </Match>
    </Switch>
  )
}
