import type { CallObservation } from '../../../core/client/observe/events.js'
import { isPhase, type ToolCallState } from '../../../core/record/toolCallState.js'
import { plainObservation, readObservation } from './plainObservation.js'

/** What happened to a call, from a file. */
export interface ExportedCall {
  readonly call: ToolCallState
  readonly observations: readonly CallObservation[]
}

const FORMAT = 'taskwire-timeline'

/**
 * The text of a file with what happened to a call: its tool, key and `meta`, its times, phases and reasons. It holds no
 * arguments, results, answers or ids of tasks, so that it can be attached to a report.
 */
export function exportCall(call: ToolCallState, observations: readonly CallObservation[]): string {
  const { callId, name, key, meta, phase, startedAt, endedAt } = call
  const shown = { callId, name, key, meta, phase, startedAt, endedAt }
  return JSON.stringify({ format: FORMAT, version: 1, call: shown, observations: observations.map(plainObservation) })
}

/** The call of a file, or why there is none. */
export function readExportedCall(text: string): ExportedCall | string {
  let body: Record<string, unknown>
  try {
    body = Object(JSON.parse(text))
  } catch {
    return 'This file is no JSON.'
  }
  if (body['format'] !== FORMAT || body['version'] !== 1) return 'This file is no timeline of the Taskwire devtools.'
  const { callId, name, phase, startedAt, endedAt, key, meta } = Object(body['call']) as Record<string, unknown>
  const observations = Array.isArray(body['observations']) ? body['observations'].flatMap(readObservation) : []
  if (typeof callId !== 'string' || typeof name !== 'string' || typeof startedAt !== 'number')
    return 'This file names no call.'
  const call = {
    callId,
    name,
    startedAt,
    phase: isPhase(phase) ? phase : 'ended',
    ...(typeof key === 'string' && { key }),
    ...(typeof meta === 'object' && meta !== null && { meta }),
    ...(typeof endedAt === 'number' && { endedAt }),
    inputRequests: {},
    inputResponses: {},
    isCancelling: false,
    network: 'ok',
    failureCount: 0,
  }
  return { call: call as unknown as ToolCallState, observations }
}
