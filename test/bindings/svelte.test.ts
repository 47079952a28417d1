import { expect, it } from 'vitest'
import { describeBinding } from './contract.js'
import { svelteBinding } from './svelteBinding.js'

describeBinding(svelteBinding)

it('taskwire/svelte exports what it always has', async () => {
  expect(Object.keys(await import('taskwire/svelte')).sort()).toEqual([
    'setTaskClient',
    'useElicitationForm',
    'useInputRequests',
    'useTaskClient',
    'useTaskConnection',
    'useToolCall',
    'useToolCallGroup',
    'useToolCallMutation',
    'useToolCallState',
    'useToolCalls',
  ])
})
