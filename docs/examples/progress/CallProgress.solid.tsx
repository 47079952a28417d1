/** @jsxImportSource solid-js */
import { Show } from 'solid-js'
import type { ToolCallState } from 'taskwire'
import { newsOf } from './newsOf'

/** Shows the progress of a call: `<CallProgress call={report.call} />`. */
export function CallProgress(props: { call: ToolCallState | undefined }) {
  return (
    <Show when={props.call?.endedAt === undefined && props.call}>
      {(call) => (
        <div>
          {/* Without a value the bar moves back and forth: how long it
              takes is unknown. Solid cannot set it to undefined. */}
          <Show
            when={call().progress?.total}
            fallback={<progress aria-label={call().name} />}
          >
            {(total) => (
              <progress
                aria-label={call().name}
                value={call().progress?.progress ?? 0}
                max={total()}
              />
            )}
          </Show>
          <p role="status">{newsOf(call())}</p>
        </div>
      )}
    </Show>
  )
}
