import { createSignal, Show } from 'solid-js'
import {
  TaskCancelledError,
  ToolCallInterruptedError,
  type ToolCallState,
} from 'taskwire'
import { useToolCallMutation } from 'taskwire/solid'

export function App() {
  const [chosen, setChosen] = createSignal<string>()
  // The key makes it one call, in every tab and after a reload. The arguments
  // are not stored: `meta` says what was asked for.
  const report = useToolCallMutation(() => ({
    name: 'generate_report',
    key: 'sales',
    meta: (asked) => ({ ...asked, title: 'Sales report' }),
  }))
  const noted = () => report.call?.meta?.quarter
  const quarter = () =>
    String((report.isPending && noted()) || chosen() || noted() || 'Q1')
  const text = () =>
    report.data?.content
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('\n')

  return (
    <main>
      <h1>Sales report</h1>

      <form
        onSubmit={(event) => {
          event.preventDefault()
          report.mutate({ quarter: quarter() })
        }}
      >
        <label>
          Quarter{' '}
          <select
            value={quarter()}
            disabled={report.isPending}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option>Q1</option>
            <option>Q2</option>
            <option>Q3</option>
            <option>Q4</option>
          </select>
        </label>
        <button type="submit" disabled={report.isPending}>
          Generate report
        </button>
      </form>

      <Show when={report.isPending}>
        <section aria-label="Progress">
          {/* Without a value the bar says that it is unknown how long it
              takes. */}
          <Show
            when={report.call?.progress?.total}
            fallback={<progress aria-label="Progress of the report" />}
          >
            {(total) => (
              <progress
                aria-label="Progress of the report"
                value={report.call?.progress?.progress ?? 0}
                max={total()}
              />
            )}
          </Show>
          <p role="status">{newsOf(report.call)}</p>
          <button
            type="button"
            onClick={report.cancel}
            disabled={report.isCancelling}
          >
            Cancel
          </button>
        </section>
      </Show>

      <Show when={report.error}>
        {(error) => (
          <p role={error() instanceof TaskCancelledError ? 'status' : 'alert'}>
            {explain(error())}
          </p>
        )}
      </Show>

      {/* A tool that has failed has a result, too. */}
      <Show when={text()}>
        <Show when={report.data?.isError} fallback={<output>{text()}</output>}>
          <p role="alert">{text()}</p>
        </Show>
      </Show>
    </main>
  )
}

/** What the page says of a report that is being made. */
function newsOf(call: ToolCallState | undefined) {
  if (call?.network === 'offline')
    return call.phase === 'working'
      ? 'You are offline. The report continues.'
      : 'You are offline. Waiting for the network.'
  if (call?.network === 'retrying') return 'Reconnecting…'
  if (call?.phase === 'input_required') return 'Waiting for your answer.'
  return call?.progress?.message ?? 'Starting…'
}

function explain(error: Error) {
  if (error instanceof TaskCancelledError) return 'The report was cancelled.'
  if (error instanceof ToolCallInterruptedError)
    return 'The page was closed before the server answered. Start again?'
  return error.message
}
