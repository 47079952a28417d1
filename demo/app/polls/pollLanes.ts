import { isTerminal, type ToolCallState } from 'taskwire'
import { type CallStatus, callStatus, hasEnded } from '../callStatus.js'
import { reportTitle } from '../reports/savedReport.js'
import type { WireMessage } from '../wire/wireRecorder.js'

/** A task as the wire saw it. Times are ms since the epoch. */
export interface PollLane {
  readonly callId: string
  readonly title: string
  readonly status: CallStatus
  readonly startsAt: number
  /** When the `tools/call` was answered by the task; undefined where another tab has made the call. */
  readonly createdAt: number | undefined
  readonly polls: readonly WireMessage[]
  /** When the server pushed the task. */
  readonly pushes: readonly WireMessage[]
  /** From each response, for as long as it asked to be left alone. */
  readonly floors: readonly Floor[]
  readonly nextPollAt: number | undefined
  readonly endedAt: number | undefined
}

export interface Floor {
  readonly from: number
  readonly to: number
}

/** One lane for each call that has become a task, the newest first. */
export function pollLanes(
  calls: readonly ToolCallState[],
  messages: readonly WireMessage[],
  nextPollAt: (callId: string) => number | undefined,
): PollLane[] {
  return calls.toReversed().flatMap((call) => {
    const own = messages.filter(({ taskId }) => taskId !== undefined && taskId === call.task?.taskId)
    const first = own[0]
    if (first === undefined) return []
    const polls = own.filter(({ method }) => method === 'tasks/get')
    const pushes = own.filter(({ method }) => method === 'notifications/tasks')
    return {
      callId: call.callId,
      title: reportTitle(call),
      status: callStatus(call),
      startsAt: first.sentAt,
      createdAt: own.find(({ method }) => method === 'tools/call')?.answeredAt,
      polls,
      pushes,
      floors: own.flatMap(floorAfter),
      nextPollAt: nextPollAt(call.callId),
      endedAt: hasEnded(call) ? own.at(-1)?.answeredAt : undefined,
    }
  })
}

function floorAfter({ method, answeredAt, pollIntervalMs, status }: WireMessage): Floor[] {
  if (method === 'notifications/tasks' || answeredAt === undefined || pollIntervalMs === undefined) return []
  if (status === undefined || isTerminal(status)) return []
  return [{ from: answeredAt, to: answeredAt + pollIntervalMs }]
}

/** How long each poll waited after the response before it, and how long that answer had asked for. */
export function pollWaits({ polls, floors }: PollLane): { waited: number; asked: number }[] {
  return polls.flatMap(({ sentAt }) => {
    const before = floors.findLast(({ from }) => from <= sentAt)
    return before ? [{ waited: sentAt - before.from, asked: before.to - before.from }] : []
  })
}
