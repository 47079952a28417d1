import type { TaskClient, ToolCallState } from 'taskwire'
import { shotIds, shots } from '../../shared/render.js'
import { deskTitle } from '../desk/deskTools.js'

/** What a call is called on the screen. The key of a render is its shot, so that it has a title after a reload, too. */
export function callTitle(client: TaskClient, { callId, name }: Pick<ToolCallState, 'callId' | 'name'>): string {
  if (name !== 'render_shot') return deskTitle(name)
  const shot = shotIds.find((id) => client.toolCallId(name, id) === callId)
  return shot === undefined ? 'Preview on two screens' : shots[shot].title
}
