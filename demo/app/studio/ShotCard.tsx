import { useMemo } from 'react'
import { useTaskClient, useToolCallMutation } from 'taskwire/react'
import { paint } from '../../shared/paint.js'
import { type RenderInput, renderOutput, type ShotId, shots } from '../../shared/render.js'
import { CallStatusLabel } from '../calls/CallStatusLabel.js'
import { hasEnded } from '../calls/callStatus.js'
import { Problem } from '../calls/Problem.js'
import { ProgressBar } from './ProgressBar.js'
import { ShotPicture } from './ShotPicture.js'

interface ShotCardProps {
  readonly shot: ShotId
  readonly choices: Pick<RenderInput, 'seconds' | 'ending'>
}

/** One shot: what its render is at, and the picture that came of it. Nothing in it moves when a render starts. */
export function ShotCard({ shot, choices }: ShotCardProps) {
  const client = useTaskClient()
  const { title, number, frames } = shots[shot]
  // #region render
  const { call, mutate, cancel } = useToolCallMutation({
    name: 'render_shot',
    key: shot, // one call in all tabs, over reloads
    meta: { title },
  })
  const start = () => mutate({ shot, ...choices })
  // #endregion render
  const sketch = useMemo(() => paint(shot, 0), [shot])
  const first = useMemo(() => paint(shot, 1), [shot])
  const { data: render } = renderOutput.safeParse(call?.result?.structuredContent)
  const isAtWork = call !== undefined && !hasEnded(call)

  return (
    <li className="shot" data-phase={call?.phase} data-testid="shot">
      <ShotPicture
        picture={render?.picture ?? sketch}
        isSketch={render === undefined}
        rendered={isAtWork && call.progress?.total ? { picture: first, share: shareOf(call.progress) } : undefined}
      />
      <div className="shot-text">
        <div className="shot-head">
          <h3>{title}</h3>
          {call ? <CallStatusLabel call={call} isShort /> : <span className="muted">{number}</span>}
        </div>
        <div className="shot-state">
          {call === undefined && <p className="muted">{frames} frames, not rendered yet</p>}
          {isAtWork && <ProgressBar call={call} />}
          {render && (
            <p className="muted">
              Take {render.take}, {frames} frames in {Math.round(render.renderedInMs / 1000)} s
            </p>
          )}
          {call && <Problem call={call} />}
        </div>
      </div>
      <div className="shot-actions">
        <button
          type="button"
          className="button primary"
          aria-label={`Render ${title}`}
          aria-disabled={isAtWork}
          onClick={start}
        >
          Render
        </button>
        {isAtWork && (
          <button
            type="button"
            className="button quiet"
            aria-label={`Cancel ${title}`}
            disabled={call.isCancelling}
            onClick={cancel}
          >
            Cancel
          </button>
        )}
        {call && !isAtWork && (
          <button
            type="button"
            className="button quiet"
            aria-label={`Clear ${title}`}
            onClick={(event) => {
              // The button that had the focus is gone.
              event.currentTarget.parentElement?.querySelector('button')?.focus()
              void client.forget({ callId: call.callId })
            }}
          >
            Clear
          </button>
        )}
      </div>
    </li>
  )
}

const shareOf = ({ progress, total = 1 }: { progress: number; total?: number }) => Math.min(progress / total, 1)
