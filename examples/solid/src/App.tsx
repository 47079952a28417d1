import { createSignal, Show } from 'solid-js'
import { TaskCancelledError, ToolCallInterruptedError } from 'taskwire'
import { createReport } from './report'

export function App() {
  const [quarter, setQuarter] = createSignal('Q1')
  const { call, generate, cancel } = createReport()
  const isRunning = () => call() !== undefined && call()?.endedAt === undefined
  const text = () =>
    call()
      ?.result?.content.map((block) => (block.type === 'text' ? block.text : ''))
      .join('\n')

  return (
    <main>
      <h1>Sales report</h1>

      <form
        onSubmit={(event) => {
          event.preventDefault()
          generate(quarter())
        }}
      >
        <label>
          Quarter{' '}
          <select value={quarter()} onChange={(event) => setQuarter(event.target.value)}>
            <option>Q1</option>
            <option>Q2</option>
            <option>Q3</option>
            <option>Q4</option>
          </select>
        </label>
        <button type="submit" disabled={isRunning()}>
          Generate report
        </button>
      </form>

      <Show when={isRunning()}>
        <section aria-label="Progress">
          {/* Without a value the bar says that nobody knows how long it takes. */}
          <Show when={call()?.progress} fallback={<progress aria-label="Progress of the report" />}>
            {(progress) => (
              <progress
                aria-label="Progress of the report"
                value={progress().progress}
                max={progress().total ?? progress().progress}
              />
            )}
          </Show>
          <p>{call()?.progress?.message ?? 'Starting…'}</p>
          <button type="button" onClick={cancel} disabled={call()?.isCancelling}>
            Cancel
          </button>
        </section>
      </Show>

      <Show when={call()?.error}>{(error) => <p role="alert">{explain(error())}</p>}</Show>

      <Show when={text()}>
        <output>{text()}</output>
      </Show>
    </main>
  )
}

function explain(error: Error) {
  if (error instanceof TaskCancelledError) return 'The report was cancelled.'
  if (error instanceof ToolCallInterruptedError) return 'The page was closed before the server answered. Start again?'
  return error.message
}
