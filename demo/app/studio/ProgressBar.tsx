import type { ToolCallState } from 'taskwire'
import { cancelNote } from '../calls/cancelNote.js'
import { networkNote } from '../calls/networkNote.js'

/** How far the work has come, in the words and numbers of the server, and the state of the connection if the user has to know it. */
export function ProgressBar({ call }: { call: ToolCallState }) {
  // #region progress
  const { progress = 0, total } = call.progress ?? {}
  // #endregion progress
  const said =
    cancelNote(call) ??
    (total === undefined
      ? (call.task?.statusMessage ?? (call.task ? 'In the queue' : 'Waiting for the server'))
      : `${call.progress?.message}, frame ${progress} of ${total}`)
  const note = networkNote(call)
  return (
    <div className="progress">
      <p className={note ? 'network' : 'muted'}>{note ?? said}</p>
      <div
        className="bar"
        role="progressbar"
        aria-label={said}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={total && progress}
      >
        <div style={total === undefined ? {} : { width: `${Math.min(progress / total, 1) * 100}%` }} />
      </div>
    </div>
  )
}
