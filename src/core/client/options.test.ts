import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../../sdk/createTaskClient.js'
import { readLegacyOptions } from '../../sdk/sdkBaseOptions.js'
import type { TaskClientUrlOptions } from '../../sdk/sdkOptions.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import { DEFAULT_POLL_POLICY, MAX_TIMER_MS } from '../time/policy.js'
import { checkOptionNames } from './checkOptions.js'
import { readPollPolicy, readStorage } from './options.js'

const create = (options: object) => () =>
  createTaskClient({ url: 'http://localhost/mcp', ...options } as TaskClientUrlOptions)

describe('the options of createTaskClient', () => {
  it.each([
    [{ resume: 'Eager' }, "resume is 'Eager'; it must be 'eager' or 'lazy'."],
    [{ resume: null }, "resume is null; it must be 'eager' or 'lazy'."],
    [{ poll: { hidden: 'paused' } }, "poll.hidden is 'paused'; it must be 'continue' or 'pause'."],
    [{ input: { missing: 'fail' } }, "input.missing is 'fail'; it must be 'wait' or 'error'."],
    [{ legacy: { tasks: 'always' } }, "legacy.tasks is 'always'; it must be 'auto', 'required-only' or 'never'."],
    [{ crossTab: 'false' }, "crossTab is 'false'; it must be true or false."],
    [{ push: 0 }, 'push is 0; it must be true or false.'],
    [{ batchUpdates: 'no' }, "batchUpdates is 'no'; it must be true or false."],
    [{ poll: { minIntervalMs: 0 } }, 'poll.minIntervalMs is 0; it must be a number above 0.'],
    [{ poll: { minIntervalMs: '5' } }, 'poll.minIntervalMs is 5; it must be a number above 0.'],
    [{ scope: null }, 'scope is null; it must be a string.'],
    [{ scope: 7 }, 'scope is 7; it must be a string.'],
    [{ onError: 'log' }, "onError is 'log'; it must be a function."],
    [{ input: { handlers: null } }, 'input.handlers is null; it must be an object.'],
    [{ input: null }, 'input is null; it must be an object.'],
    [{ poll: 500 }, 'poll is 500; it must be an object.'],
    [{ input: { handlers: { roots: [] } } }, 'input.handlers.roots is an object; it must be a function.'],
    [{ input: { handlers: { elicitation: true } } }, 'input.handlers.elicitation is true; it must be a function.'],
    [{ onerror: () => {} }, 'There is no option onerror. Did you mean onError?'],
    [{ stuckAfterPolls: 3 }, 'There is no option stuckAfterPolls. Did you mean input.stuckAfterPolls?'],
    [{ poll: { intervalMs: 500 } }, 'There is no option poll.intervalMs. Did you mean poll.minIntervalMs?'],
    [
      { input: { handlers: { samplings: () => {} } } },
      'There is no option input.handlers.samplings. Did you mean input.handlers.sampling?',
    ],
    [
      { poll: { minIntervalMs: Infinity } },
      'poll.minIntervalMs is Infinity; it must be a number above 0 that is finite.',
    ],
    [
      { poll: { defaultIntervalMs: Infinity } },
      'poll.defaultIntervalMs is Infinity; it must be a number above 0 that is finite.',
    ],
    [{ retry: { baseMs: Infinity } }, 'retry.baseMs is Infinity; it must be a number above 0 that is finite.'],
    [{ legacy: { ttlMs: Infinity } }, 'legacy.ttlMs is Infinity; it must be a number above 0 that is finite.'],
  ])('%j is refused', (options, message) => {
    expect(create(options)).toThrow(TaskConfigurationError)
    expect(create(options)).toThrow(message)
  })

  it.each([
    {},
    { resume: undefined, scope: undefined, push: undefined, input: undefined, poll: undefined },
    { resume: 'lazy', input: { missing: 'error' }, crossTab: true, push: false, scope: 'anna', onError: () => {} },
    { input: { handlers: { roots: () => ({ roots: [] }) } } },
    { batchUpdates: true },
    { batchUpdates: false },
    {
      poll: { hidden: 'pause', maxConcurrent: Infinity, safetyIntervalMs: Infinity },
      retry: { maxAttempts: Infinity },
    },
  ])('%j is accepted', (options) => {
    expect(create(options)).not.toThrow()
  })
})

describe('what callTool and startToolCall are given', () => {
  const client = createTaskClient({ url: 'http://localhost/mcp' })

  it.each([
    [
      [{ name: 'report', key: 'weekly' }],
      'The params of a call are name and arguments; there is no key. Options stand beside them: callTool({ name, arguments }, { key }).',
    ],
    [[{ name: 'report', _meta: {} }], 'The params of a call are name and arguments; there is no _meta.'],
    [[{ name: 'report' }, { keys: 'weekly' }], 'There is no option keys. Did you mean key?'],
    [[{ name: 'report' }, { timeout: 60_000 }], 'There is no option timeout.'],
    [[{ name: 'report' }, { key: null }], 'key is null; it must be a string.'],
    [[{ name: 'report' }, { key: 7 }], 'key is 7; it must be a string.'],
    [[{ name: 'report' }, { repeat: 'once' }], "repeat is 'once'; it must be 'never', 'settled' or 'always'."],
    [[{ name: 'report' }, { signal: new AbortController() }], 'signal is an object; it must be an AbortSignal.'],
  ])('%j is refused, and nothing is sent', async ([params, options], message) => {
    const refused = [
      () => client.callTool(params as { name: string }, options as object),
      async () => client.startToolCall(params as { name: string }, options as object),
    ]
    for (const call of refused) {
      const error = await call().then(null, (reason: unknown) => reason)
      expect(error).toBeInstanceOf(TaskConfigurationError)
      expect((error as Error).message).toContain(message)
    }
    expect(client.store.getState().calls).toEqual({})
  })
})

it('callTool and startToolCall take a signal that is null, as fetch does', async () => {
  const client = createTaskClient({ url: 'http://localhost/mcp' })
  const call = client.startToolCall({ name: 'report' }, { signal: null as never })
  call.result.catch(() => {})
  expect(call.getState()).toMatchObject({ phase: 'calling' })
  await client.close()
})

describe('the nearest name', () => {
  it.each<[string, object, string[], string]>([
    ['of the same group is named', { retry: { ac: 1 } }, ['poll.ab', 'retry.ab'], 'retry.ab'],
    ['that comes first is named', { poll: { bb: 1 } }, ['poll.ab', 'poll.cb'], 'poll.ab'],
    ['with a letter more comes before one with a letter less', { xab: 1 }, ['xabc', 'ab'], 'xabc'],
    ['is the one that is written in short', { args: 1 }, ['arguments', 'gram'], 'arguments'],
    ['is the shortest for a single letter', { x: 1 }, [], 'poll'],
  ])('%s', (_what, options, own, name) => {
    const kinds = Object.fromEntries(own.map((path) => [path, 'function' as const]))
    expect(() => checkOptionNames(options, kinds)).toThrow(`Did you mean ${name}?`)
  })
})

describe('readPollPolicy()', () => {
  it.each([
    [{}, {}],
    [{ poll: { hidden: 'pause', minIntervalMs: 5 } }, { hidden: 'pause', minIntervalMs: 5 }],
    [
      { retry: { maxAttempts: 3 }, callTimeoutMs: 7 },
      { maxAttempts: 3, callTimeoutMs: 7 },
    ],
    [{ callTimeoutMs: MAX_TIMER_MS + 1 }, { callTimeoutMs: MAX_TIMER_MS }],
  ] as const)('of %j changes %j', (options, changes) => {
    expect(readPollPolicy(options)).toEqual({ ...DEFAULT_POLL_POLICY, ...changes })
  })
})

describe('readLegacyOptions()', () => {
  const { environment } = createSimulatedEnvironment()

  it.each([
    [{}, { mode: 'auto', ttlMs: undefined }],
    [{ legacy: { tasks: 'never', ttlMs: 5 } }, { mode: 'never', ttlMs: 5 }],
  ] as const)('of %j are %j', (options, read) => {
    const all = { ...read, environment, addressesSessions: true }
    expect(readLegacyOptions(options, environment, true)).toEqual(all)
  })
})

describe('readStorage()', () => {
  const { environment } = createSimulatedEnvironment()
  const own: TaskStorage = { getItem: () => null, setItem: () => {}, removeItem: () => {}, keys: () => [] }

  it.each(['local', 'session', 'memory'] as const)('of %j keeps what it is given there', async (option) => {
    const storage = readStorage(option, environment)
    await storage.setItem(option, 'kept')
    expect(await storage.getItem(option)).toBe('kept')
  })

  it('takes an object with the four methods', () => {
    expect(readStorage(own, environment)).toBe(own)
  })

  it.each([null, 7, 'disk', { ...own, keys: undefined }, Object.assign(() => {}, own)])('refuses %j', (option) => {
    expect(() => readStorage(option as TaskStorage, environment)).toThrow(TaskConfigurationError)
  })
})
