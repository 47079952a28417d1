import { useState } from 'react'
import {
  type CallToolResult,
  TaskCancelledError,
  ToolCallInterruptedError,
  type ToolCallState,
} from 'taskwire'
import { useToolCallMutation } from 'taskwire/react'
import { Questions } from './questions'

export function Report() {
  const [chosen, setChosen] = useState<string>()
  // The key makes it one call, in every tab and after a reload. The arguments
  // are not stored: `meta` says what was asked for.
  const report = useToolCallMutation({
    name: 'generate_report',
    key: 'sales',
    meta: (asked) => ({ ...asked, title: 'Sales report' }),
  })
  const { call, data, error } = report
  const isRunning = call !== undefined && call.endedAt === undefined
  const noted = String(call?.meta?.quarter ?? 'Q1')
  const quarter = isRunning ? noted : (chosen ?? noted)

  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          report.mutate({ quarter })
        }}
      >
        <label>
          Quarter{' '}
          <select
            value={quarter}
            disabled={isRunning}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option>Q1</option>
            <option>Q2</option>
            <option>Q3</option>
            <option>Q4</option>
          </select>
        </label>
        <button type="submit" disabled={isRunning}>
          Generate report
        </button>
      </form>

      {isRunning && (
        <section aria-label="Progress">
          {/* Without a value the bar says that it is unknown how long it
              takes. */}
          <progress
            aria-label="Progress of the report"
            value={call.progress?.total && call.progress.progress}
            max={call.progress?.total}
          />
          <p role="status">{newsOf(call)}</p>
          <button
            type="button"
            onClick={report.cancel}
            disabled={report.isCancelling}
          >
            Cancel
          </button>
        </section>
      )}

      <Questions />

      {error && !isRunning && (
        <p role={error instanceof TaskCancelledError ? 'status' : 'alert'}>
          {explain(error)}
        </p>
      )}

      {/* A tool that has failed has a result, too. */}
      {data &&
        !isRunning &&
        (data.isError ? (
          <p role="alert">{textOf(data)}</p>
        ) : (
          <output>{textOf(data)}</output>
        ))}
    </>
  )
}

function textOf({ content }: CallToolResult) {
  return content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
}

/** What the page says of a report that is being made. */
function newsOf({ network, phase, progress }: ToolCallState) {
  if (network === 'offline')
    return phase === 'working'
      ? 'You are offline. The report continues.'
      : 'You are offline. Waiting for the network.'
  if (network === 'retrying') return 'Reconnecting…'
  if (phase === 'input_required') return 'Waiting for your answer.'
  return progress?.message ?? 'Starting…'
}

function explain(error: Error) {
  if (error instanceof TaskCancelledError) return 'The report was cancelled.'
  if (error instanceof ToolCallInterruptedError)
    return 'The page was closed before the server answered. Start again?'
  return error.message
}
