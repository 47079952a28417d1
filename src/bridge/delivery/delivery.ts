import { isJsonObject } from '../../core/protocol/json.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'

/** What is noted of one call, from its start until everybody has the message about its end. */
export type Delivery = OpenDelivery | DueDelivery

interface Noted {
  /** Names the delivery for its receiver: the same in each attempt and in each process. */
  readonly id: string
  readonly userId: string
  /** The client of the call, by its `id`. */
  readonly clientId: string
  readonly callId: string
  /** When the call was made, ms since the epoch. */
  readonly startedAt: number
}

/** What the app has named a call. */
export type NotedCall = Pick<ToolCallState, 'name' | 'key' | 'meta'>

/** The call runs. */
export interface OpenDelivery extends Noted {
  readonly stage: 'open'
  /** The process that follows it; absent where there are no others. */
  readonly holder?: string
  /** What is said of the call where no client knows it any longer. */
  readonly call?: NotedCall
}

/** The call has ended, and the message is on its way. */
export interface DueDelivery extends Noted {
  readonly stage: 'due'
  readonly endedAt: number
  /** The message: what it is, the sender knows. */
  readonly payload: string
  readonly attempts: number
  /** Not to be tried before, ms since the epoch. */
  readonly nextAt: number
  /** Which of several receivers have it, where an attempt has reached some of them. */
  readonly reached: readonly string[]
}

const VERSION = 1

export function encodeDelivery(delivery: Delivery): string {
  return JSON.stringify({ v: VERSION, ...delivery })
}

/** Undefined for a text that is none, or that a later version has written. */
export function decodeDelivery(text: string): Delivery | undefined {
  const json = parse(text)
  if (!isJsonObject(json) || json['v'] !== VERSION) return undefined
  const { id, userId, clientId, callId, startedAt, stage } = json
  if (!areTexts([id, userId, clientId, callId]) || !areNumbers([startedAt])) return undefined
  const noted = { id, userId, clientId, callId, startedAt } as Noted
  const { holder, call } = json
  const isNamed = isJsonObject(call) && areTexts([call['name']])
  if (stage === 'open')
    return {
      ...{ ...noted, stage },
      ...(typeof holder === 'string' && { holder }),
      ...(isNamed && { call: call as unknown as NotedCall }),
    }
  const { endedAt, payload, attempts, nextAt, reached } = json
  if (stage !== 'due' || !areTexts([payload]) || !areNumbers([endedAt, attempts, nextAt])) return undefined
  if (!Array.isArray(reached) || !areTexts(reached)) return undefined
  return { ...noted, stage, endedAt, payload, attempts, nextAt, reached } as DueDelivery
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}

function areNumbers(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'number' && Number.isFinite(value))
}
