import { TaskConfigurationError } from 'taskwire'
import { expect, vi } from 'vitest'
import type { Hook, OptionsOf } from './binding.js'
import type { Behaviour } from './world.js'

const WORK = { name: 'work', arguments: { seconds: 2 } }

/** A hook, options that a program without types may pass, and what is said of them. */
const REFUSED: readonly (readonly [Hook, object, string])[] = [
  ['useToolCall', { ...WORK, enabled: false }, 'There is no option enabled. Did you mean query.enabled?'],
  [
    'useToolCall',
    { name: 'work', args: { seconds: 2 }, enabled: false },
    'There is no option enabled. Did you mean query.enabled? There is no option args. Did you mean arguments?',
  ],
  ['useToolCall', { ...WORK, staletime: 0 }, 'There is no option staletime. Did you mean query.staleTime?'],
  // As a ref of Vue has it.
  [
    'useToolCall',
    { ...WORK, query: { enabled: { value: false } } },
    'query.enabled is an object; it must be a boolean or a function that returns one.',
  ],
  ['useToolCall', { ...WORK, clients: [] }, 'There is no option clients. Did you mean client?'],
  ['useToolCallMutation', { name: 'work', keys: 'weekly' }, 'There is no option keys. Did you mean key?'],
  [
    'useToolCallMutation',
    { name: 'work', onSuccess: () => {} },
    'There is no option onSuccess. Did you mean mutation.onSuccess?',
  ],
  ['useToolCallMutation', WORK, 'There is no option arguments. The arguments are passed to mutate: mutate({ … }).'],
  ['useToolCallState', { id: 'a' }, 'There is no option id. Did you mean callId?'],
  ['useToolCalls', { filters: () => true }, 'There is no option filters. Did you mean filter?'],
  ['useInputRequests', { filter: () => true }, 'There is no option filter.'],
  ['useTaskConnection', { clint: undefined }, 'There is no option clint. Did you mean client?'],
]

/** What the hooks of every framework do with options that they do not have, or not with such a value. */
export const unknownOptions: readonly Behaviour[] = REFUSED.map(([hook, options, message]) => ({
  name: `[EDGE-42] ${hook} refuses ${Object.keys(options).join(', ')}: ${message}`,
  async run({ mount, advance, server }) {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const mounting = () => mount(hook, options as OptionsOf[typeof hook], (shown) => JSON.stringify(shown) ?? '')
    expect(mounting).toThrow(TaskConfigurationError)
    expect(mounting).toThrow(message)
    await advance(1000)
    expect(server.count('tools/call')).toBe(0)
  },
}))
