import { amongProcesses } from '../../core/client/amongProcesses.js'
import type { TaskClient, ToolCall } from '../../core/client/taskClient.js'
import { TaskExpiredError } from '../../core/protocol/errors.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import type { CallEntry } from '../../core/run/entries.js'
import type { CallRef } from '../wire/messages.js'
import { isClosed, type Session } from './session.js'

/** The call that a page names, where it sees it. */
export async function find(session: Session, ref: CallRef): Promise<{ state: ToolCallState; call: ToolCall }> {
  const { client, feed } = session
  const callId = idOf(client, ref)
  await lookFor(session, callId)
  const state = feed.get(callId)
  const call = state && client.getToolCall(callId)
  if (state !== undefined && call !== undefined) return { state, call }
  throw unknown()
}

/** Reads the records where this process does not know the call: another one may have made it since. */
export async function lookFor({ client, feed }: Session, callId: string): Promise<void> {
  if (feed.get(callId) !== undefined) return
  await client.resumeToolCalls({ callId })
  feed.update()
}

/** The call as the client has it. */
export function callOf(client: TaskClient, callId: string): CallEntry['call'] | undefined {
  return amongProcesses(client).run?.()?.calls.get(callId)?.call
}

export function idOf(client: TaskClient, ref: CallRef): string {
  return 'id' in ref ? ref.id : client.toolCallId(ref.name, ref.key)
}

export function unknown(): Error {
  const message = 'The backend of this app no longer knows this call. Start it again.'
  return new TaskExpiredError('unknown-task', { message })
}

/** A client that was closed meanwhile has no calls: nothing is to be concluded from that. */
export function expectOpen(session: Session): void {
  if (isClosed(session)) throw unknown()
}
