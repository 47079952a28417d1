import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toolCallQueryOptions } from 'taskwire/query'
import { useTaskClient, useToolCall, useToolCallState } from 'taskwire/react'
import { type RenderInput, renderOutput } from '../../shared/render.js'
import { hasEnded } from '../calls/callStatus.js'
import { ShotPicture } from '../studio/ShotPicture.js'

const dailies = {
  name: 'render_shot',
  key: 'dailies',
  arguments: { shot: 'tide', seconds: 8, ending: 'goes well' } satisfies RenderInput,
  outputSchema: renderOutput,
}

/** Two screens that know nothing of each other ask for the same call. */
export function Dailies() {
  const client = useTaskClient()
  const queryClient = useQueryClient()
  const [isWanted, setIsWanted] = useState(false)
  const call = useToolCallState({ callId: client.toolCallId(dailies.name, dailies.key) })
  const { queryKey } = toolCallQueryOptions(client, dailies)
  // After a reload the call is taken up again, and its screens with it.
  const isOn = isWanted || call !== undefined
  const isAtWork = call !== undefined && !hasEnded(call)
  return (
    <li className="desk-item" data-testid="desk-item">
      <button
        type="button"
        className="button"
        aria-label="Show the preview"
        aria-disabled={isAtWork}
        onClick={() => {
          if (!isOn) setIsWanted(true)
          else if (!isAtWork) void queryClient.refetchQueries({ queryKey })
        }}
      >
        Show
      </button>
      <div className="desk-text">
        <h3>Preview on two screens</h3>
        <p className="muted">Two components share one call.</p>
      </div>
      <div className="screens">
        <Screen label="Screen A" isOn={isOn} />
        <Screen label="Screen B" isOn={isOn} />
      </div>
    </li>
  )
}

function Screen({ label, isOn }: { label: string; isOn: boolean }) {
  // #region share
  const { data, error, call } = useToolCall({
    ...dailies, // its name, key and arguments
    query: { enabled: isOn },
  })
  // #endregion share
  const { progress = 0, total = 1 } = call?.progress ?? {}
  const said = data ? 'done' : error ? 'nothing' : isOn ? `${Math.round((progress / total) * 100)} %` : 'off'
  return (
    <figure className="screen">
      {data && !data.isError && <ShotPicture picture={data.structuredContent.picture} />}
      <figcaption>
        <span className="visually-hidden">{label}: </span>
        {said}
      </figcaption>
    </figure>
  )
}
