import { render } from '@testing-library/react'
import { Component, type ReactNode, Suspense } from 'react'
import { createTaskClient, TaskConfigurationError } from 'taskwire'
import { createElicitationForm, type ElicitationSource } from 'taskwire/forms'
import { toolCallMutationOptions, toolCallQueryOptions } from 'taskwire/query'
import { TaskClientProvider, useSuspenseToolCall, useTaskClient } from 'taskwire/react'
import { createTestServer } from 'taskwire/testing'
import { expect, it, vi } from 'vitest'

const client = createTaskClient({
  url: 'http://localhost/mcp',
  environment: createTestServer({ tools: [] }).environment,
})

/** Shows what a component throws. */
class Boundary extends Component<{ children: ReactNode }> {
  override state: { error?: Error } = {}
  static getDerivedStateFromError = (error: Error) => ({ error })
  override render(): ReactNode {
    return this.state.error === undefined
      ? this.props.children
      : `${this.state.error.name}: ${this.state.error.message}`
  }
}

function thrownBy(hook: () => unknown): string | null {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  function Hook() {
    hook()
    return null
  }
  const { container } = render(
    <TaskClientProvider client={client}>
      <Boundary>
        <Suspense>
          <Hook />
        </Suspense>
      </Boundary>
    </TaskClientProvider>,
  )
  return container.textContent
}

it.each([
  { name: 'work', enabled: false },
  { name: 'work', query: { enabled: false } },
])('[EDGE-42] useSuspenseToolCall refuses %j, which would not hold the call back', (options) => {
  expect(thrownBy(() => useSuspenseToolCall(options))).toBe(
    options.enabled === undefined
      ? 'TaskConfigurationError: A call that suspends cannot be held back: render the component once the call is to be made.'
      : 'TaskConfigurationError: There is no option enabled. A call that suspends cannot be held back: render the component once the call is to be made.',
  )
})

it('[EDGE-42] useTaskClient refuses an option that it does not have', () => {
  const options: object = { url: '/mcp' }
  expect(thrownBy(() => useTaskClient(options))).toContain('There is no option url. Did you mean client?')
})

it('[EDGE-42] createElicitationForm refuses an option that a form does not have', () => {
  const request = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: { type: 'object' } } }
  const source = { client, callId: 'a', inputKey: 'b', request } as unknown as ElicitationSource
  const options: object = { draft: 'session' }
  expect(() => createElicitationForm(source, options)).toThrow('There is no option draft. Did you mean drafts?')
})

it.each([
  [{ name: 'work', enabled: false }, 'There is no option enabled. Did you mean query.enabled?'],
  [{ name: 'work', onSettled: () => {} }, 'There is no option onSettled.'],
])('[EDGE-42] toolCallQueryOptions refuses %j', (options, message) => {
  expect(() => toolCallQueryOptions(client, options)).toThrow(TaskConfigurationError)
  expect(() => toolCallQueryOptions(client, options)).toThrow(message)
})

it.each([
  [{ name: 'work', onSuccess: () => {} }, 'There is no option onSuccess. Did you mean mutation.onSuccess?'],
  [{ name: 'work', arguments: {} }, 'The arguments are passed to mutate: mutate({ … }).'],
])('[EDGE-42] toolCallMutationOptions refuses %j', (options, message) => {
  expect(() => toolCallMutationOptions(client, options)).toThrow(TaskConfigurationError)
  expect(() => toolCallMutationOptions(client, options)).toThrow(message)
})
