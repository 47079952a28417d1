import { describe, expect, it } from 'vitest'
import { TaskConfigurationError } from '../protocol/errors.js'
import { createTaskClient } from './createTaskClient.js'
import type { TaskClientUrlOptions } from './taskClient.js'

const create = (options: object) => () =>
  createTaskClient({ url: 'http://localhost/mcp', ...options } as TaskClientUrlOptions)

describe('the options of createTaskClient', () => {
  it.each([
    [{ resume: 'Eager' }, "resume is 'Eager'; it must be 'eager' or 'lazy'."],
    [{ resume: null }, "resume is null; it must be 'eager' or 'lazy'."],
    [{ poll: { hidden: 'paused' } }, "poll.hidden is 'paused'; it must be 'continue' or 'pause'."],
    [{ missingInput: 'fail' }, "missingInput is 'fail'; it must be 'wait' or 'error'."],
    [{ legacyTasks: 'always' }, "legacyTasks is 'always'; it must be 'auto', 'required-only' or 'never'."],
    [{ crossTab: 'false' }, "crossTab is 'false'; it must be true or false."],
    [{ push: 0 }, 'push is 0; it must be true or false.'],
    [{ scope: null }, 'scope is null; it must be a string.'],
    [{ scope: 7 }, 'scope is 7; it must be a string.'],
    [{ onError: 'log' }, "onError is 'log'; it must be a function."],
    [{ inputHandlers: null }, 'inputHandlers is null; it must be an object of functions.'],
    [{ inputHandlers: { roots: [] } }, 'inputHandlers.roots is an object; it must be a function.'],
    [{ inputHandlers: { elicitation: true } }, 'inputHandlers.elicitation is true; it must be a function.'],
    [
      { poll: { minIntervalMs: Infinity } },
      'poll.minIntervalMs is Infinity; it must be a number above 0 that is finite.',
    ],
    [
      { poll: { defaultIntervalMs: Infinity } },
      'poll.defaultIntervalMs is Infinity; it must be a number above 0 that is finite.',
    ],
    [{ retry: { baseMs: Infinity } }, 'retry.baseMs is Infinity; it must be a number above 0 that is finite.'],
    [{ taskTtlMs: Infinity }, 'taskTtlMs is Infinity; it must be a number above 0 that is finite.'],
  ])('%j is refused', (options, message) => {
    expect(create(options)).toThrow(TaskConfigurationError)
    expect(create(options)).toThrow(message)
  })

  it.each([
    {},
    { resume: undefined, scope: undefined, push: undefined, inputHandlers: undefined },
    { resume: 'lazy', missingInput: 'error', crossTab: true, push: false, scope: 'anna', onError: () => {} },
    { inputHandlers: { roots: () => ({ roots: [] }) } },
    {
      poll: { hidden: 'pause', maxConcurrent: Infinity, safetyIntervalMs: Infinity },
      retry: { maxAttempts: Infinity },
    },
  ])('%j is accepted', (options) => {
    expect(create(options)).not.toThrow()
  })
})
