import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { INTENT, RESULT, START } from '../../test/support/stubbedCall.js'
import { ConnectionFailedError, TaskProtocolError } from '../protocol/errors.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import type { CallEvent } from './call.js'
import { createEntry } from './callEntry.js'
import { DEFAULT_POLL_POLICY, type PollPolicy } from './pollPolicy.js'
import { sendCall } from './sendCall.js'
import type { CallHooks, ToolCallResponse } from './taskPort.js'

const KEY = 'f81d4fae7dec11d0'
const DONE: ToolCallResponse = { type: 'result', result: RESULT }

interface Options {
  /** What an attempt comes to: what is thrown, or the result. */
  attempt?: (hooks: CallHooks, attempts: number) => Promise<ToolCallResponse>
  keyTtlMs?: number
  /** When the call was made, in ms before now. */
  ageMs?: number
  policy?: Partial<PollPolicy>
  isOutdated?: boolean
}

/** A call that is sent, over a connection whose attempts the test decides. */
function begin(options: Options = {}) {
  const page = createSimulatedEnvironment({ now: START })
  const { endpoint, scope, callId, key } = INTENT
  const startedAt = START - (options.ageMs ?? 0)
  const entry = createEntry({ callId, name: 'report', key, startedAt, stage: 'waiting', for: 'lock' })
  const events: CallEvent[] = []
  const written: ToolCallRecord[] = []
  const keys: unknown[] = []
  const controller = new AbortController()
  let attempts = 0
  const send = (idempotencyKey?: string) =>
    sendCall(
      entry,
      {
        runtime: {
          dispatch: (_entry, event) => void events.push(event),
          ask: () => Promise.reject(new Error('nobody asks')),
        },
        port: {
          callTool: async (_request, hooks) => {
            attempts += 1
            if (options.attempt !== undefined) return options.attempt(hooks, attempts)
            keys.push(await hooks.beforeSend(options.keyTtlMs ?? 0))
            return DONE
          },
        },
        environment: page.environment,
        records: {
          write: (record) => {
            if (!options.isOutdated) written.push(record)
            return Promise.resolve(!options.isOutdated)
          },
          isNewer: () => Promise.resolve(options.isOutdated === true),
        },
        owner: { endpoint, scope },
        rules: { policy: { ...DEFAULT_POLL_POLICY, ...options.policy } },
      },
      controller.signal,
      idempotencyKey,
    )
  return { page, entry, events, written, keys, send, attempts: () => attempts }
}

describe('an attempt that fails before anything is sent', () => {
  it('is repeated for a call that an earlier page has sent under a key', async () => {
    const { page, entry, send, attempts } = begin({
      attempt: async (_hooks, attempts) => {
        if (attempts === 1) throw new ConnectionFailedError('No')
        return DONE
      },
    })
    entry.isRepeated = true
    const sent = send(KEY)
    await page.advance(1000)
    await expect(sent).resolves.toBe(DONE)
    expect(attempts()).toBe(2)
  })

  it('is the last one of a call without', async () => {
    const broken = new TaskProtocolError('nonsense', { source: 'tools/call' })
    const { page, send, attempts, written } = begin({ attempt: () => Promise.reject(broken) })
    const sent = expect(send()).rejects.toBe(broken)
    await page.advance(60_000)
    await sent
    expect(attempts()).toBe(1)
    expect(written).toEqual([])
  })
})

it('a call that is left while the connection is made is neither recorded nor given a key', async () => {
  const { entry, send, keys, written } = begin({ keyTtlMs: 9000 })
  entry.left = new Error('closed')
  await send()
  expect(keys).toEqual([undefined])
  expect(written).toEqual([])
  expect(entry.isSent).toBeUndefined()
})

it('a call that has waited for longer than the server knows keys has one all the same', async () => {
  const { send, keys, written } = begin({ keyTtlMs: 9000, ageMs: 10_000 })
  await send()
  expect(keys).toEqual([expect.any(String)])
  expect(written).toEqual([{ ...INTENT, startedAt: START - 10_000, idempotencyKey: keys[0] }])
})

it('the intent of a call without a key names none', async () => {
  const { send, keys, written } = begin()
  await send()
  expect(keys).toEqual([undefined])
  expect(written).toStrictEqual([INTENT])
})

it.each([
  ['the server may have forgotten its key', { keyTtlMs: 9000, ageMs: 9000 }],
  ['the server takes no key any more', {}],
])('a call that an earlier page has sent is interrupted, with its id, where %s', async (_, options) => {
  const { send, written } = begin(options)
  await expect(send(KEY)).rejects.toMatchObject({ name: 'ToolCallInterruptedError', toolName: 'report', callId: 'c1' })
  expect(written).toEqual([])
})

it('a call that a later version has recorded is not sent, and fails with its id', async () => {
  const { entry, send, keys } = begin({ isOutdated: true })
  await expect(send()).rejects.toMatchObject({ name: 'PageOutdatedError', callId: 'c1' })
  expect(keys).toEqual([])
  expect(entry.isSent).toBe(false)
})

it('the progress that the server notifies is handed on', async () => {
  const progress = { progress: 1, total: 3 }
  const { send, events } = begin({
    attempt: async ({ onProgress }) => {
      onProgress(progress)
      return DONE
    },
  })
  await send()
  expect(events).toEqual([{ type: 'sending' }, { type: 'progress', progress }])
})

it('a call whose last attempt could not connect is interrupted, with that as the cause: an earlier one may have arrived', async () => {
  const lost = new ConnectionFailedError('No')
  const { page, entry, send, attempts } = begin({ attempt: () => Promise.reject(lost), policy: { maxAttempts: 2 } })
  entry.isRepeated = true
  const interrupted = { name: 'ToolCallInterruptedError', toolName: 'report', callId: 'c1', cause: lost }
  const sent = expect(send(KEY)).rejects.toMatchObject(interrupted)
  await page.advance(60_000)
  await sent
  expect(attempts()).toBe(2)
})
