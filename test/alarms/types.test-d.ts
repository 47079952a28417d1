import { createTaskClient, type TaskClient } from 'taskwire'
import { type TaskClientWithoutTimers, withoutTimers } from 'taskwire/alarms'
import { createClient, inputs } from 'taskwire/core'
import { createTaskClient as createLiteClient } from 'taskwire/lite'
import { describe, expectTypeOf, it } from 'vitest'

interface Tools {
  echo: { arguments: { text: string }; output: undefined }
}

const known = { url: 'https://example.com/mcp', storage: 'memory' } as const

describe('a client without timers', () => {
  it('has the type of the client that is made, and two more members', () => {
    const client = withoutTimers(createTaskClient, known)
    expectTypeOf(client).toExtend<TaskClient>()
    expectTypeOf(client.nextWakeAt).toEqualTypeOf<number | undefined>()
    expectTypeOf(withoutTimers(createLiteClient, known)).toExtend<TaskClientWithoutTimers>()
    const create = (options: Parameters<typeof createClient>[0]): TaskClient => createClient(options, { inputs })
    expectTypeOf(withoutTimers(create, known)).toExtend<TaskClientWithoutTimers>()
  })

  it('knows the tools', () => {
    const client = withoutTimers(createTaskClient<Tools>, known)
    void client.callTool({ name: 'echo', arguments: { text: '' } })
    // @ts-expect-error there is no such tool
    void client.callTool({ name: 'shout' })
  })

  it('takes the options of the client, and must have a storage', () => {
    withoutTimers(createLiteClient, { ...known, fetch: (url) => fetch(url) })
    // @ts-expect-error no storage
    withoutTimers(createLiteClient, { url: known.url })
    // @ts-expect-error a stream keeps the host awake
    withoutTimers(createTaskClient, { ...known, push: true })
    // @ts-expect-error no url
    withoutTimers(createLiteClient, { storage: 'memory' })
    // @ts-expect-error there is no such option
    withoutTimers(createLiteClient, { ...known, urls: [] })
  })
})
