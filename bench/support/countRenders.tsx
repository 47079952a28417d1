import { act, type FunctionComponent, useState } from 'react'
import { createRoot } from 'react-dom/client'
import {
  TaskClientProvider,
  useInputRequests,
  useTaskClient,
  useTaskConnection,
  useToolCall,
  useToolCallState,
} from 'taskwire/react'
import { openPage } from '../contenders/taskClient.js'
import { createClock } from './clock.js'
import { createMemoryServer } from './memoryServer.js'

const SECOND = 1000

/** The hooks that a component may watch its call with. */
export type WatchingHook = 'useToolCall' | 'useToolCallState'

let renders = 0
const keyOf = (index: number) => `call-${index}`

const components: Record<WatchingHook, FunctionComponent<{ index: number }>> = {
  useToolCall: function Call({ index }) {
    const { call } = useToolCall({ name: 'work', key: keyOf(index) })
    renders += 1
    return call?.task?.statusMessage
  },
  useToolCallState: function Call({ index }) {
    const client = useTaskClient()
    const [{ callId }] = useState(() => client.startToolCall({ name: 'work' }, { key: keyOf(index) }))
    const call = useToolCallState({ callId })
    renders += 1
    return call?.task?.statusMessage
  },
}

function Inbox() {
  const requests = useInputRequests()
  renders += 1
  return requests.length
}

function Connection() {
  const { status } = useTaskConnection()
  renders += 1
  return status
}

/**
 * How many components render when every call is polled and none has news, and when one of them has: on a page with a
 * component for each call, one for the input requests and one for the connection.
 */
export async function countRenders(hook: WatchingHook, calls: number) {
  const clock = createClock()
  const server = createMemoryServer()
  const client = openPage(server, 'memory', clock)
  const Call = components[hook]

  const root = createRoot(document.createElement('div'))
  await act(() =>
    root.render(
      <TaskClientProvider client={client}>
        {Array.from({ length: calls }, (_, index) => (
          <Call key={keyOf(index)} index={index} />
        ))}
        <Inbox />
        <Connection />
      </TaskClientProvider>,
    ),
  )
  await act(() => clock.advance(SECOND / 2))

  async function pollAll(): Promise<number> {
    renders = 0
    const before = server.polls()
    await act(() => clock.advance(SECOND))
    if (server.polls() - before !== calls) throw new Error('Not every call was polled.')
    return renders
  }
  const unchanged = await pollAll()
  const ticking = `work-${Math.ceil(calls / 2)}`
  server.revisionOf = (taskId) => (taskId === ticking ? 1 : 0)
  const ticked = await pollAll()

  await act(() => root.unmount())
  await Promise.all([client.close(), clock.advance(SECOND)])
  return { unchanged, ticked }
}
