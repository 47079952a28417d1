import type { TaskClient } from 'taskwire'
import { shots } from '../../shared/render.js'

const KEY = 'northlight:visited'

/** Renders a shot when a visitor comes for the first time, so that there is something to lose. */
export function renderOnArrival(client: TaskClient): void {
  if (localStorage.getItem(KEY) !== null) return
  localStorage.setItem(KEY, '')
  const arguments_ = { shot: 'harbour', seconds: 20, ending: 'goes well' }
  // Its card shows how it ends.
  client
    .startToolCall(
      { name: 'render_shot', arguments: arguments_ },
      { key: 'harbour', meta: { title: shots.harbour.title } },
    )
    .result.catch(() => {})
}
