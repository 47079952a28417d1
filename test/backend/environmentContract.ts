import { createTaskClient, type TaskClient } from 'taskwire'
import type { BackendEnvironment } from 'taskwire/backend'
import { createLiveServer } from 'taskwire/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Channel } from '../../src/core/environment/environment.js'
import { memoryStorage } from '../../src/core/storage/memoryStorage.js'
import { PATIENCE } from '../support/patience.js'
import { workTools } from '../support/workServer.js'

/**
 * What locks and messages of backends have in common. `open` opens them as another process does, and `cut` cuts the
 * connections by which messages come.
 */
export function testEnvironment(open: () => BackendEnvironment, cut: () => Promise<unknown>): void {
  let names = 0
  const newName = () => `taskwire:test:${process.pid}:${++names}`

  function openAnother(): BackendEnvironment {
    const environment = open()
    onTestFinished(() => environment.close())
    return environment
  }

  /** Holds a lock until it is told to let go. */
  function hold({ locks }: BackendEnvironment, name: string, options: { steal?: boolean } = {}) {
    const held = { isGranted: false, error: undefined as Error | undefined, letGo: () => {} }
    locks
      .request(name, options, () => {
        held.isGranted = true
        return new Promise<void>((resolve) => {
          held.letGo = resolve
        })
      })
      .catch((error: Error) => {
        held.error = error
      })
    return held
  }

  it('grants a lock to one at a time, also when many ask for it at once', async () => {
    const name = newName()
    const environments = [openAnother(), openAnother()]
    let inside = 0
    let most = 0
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setTimeout(resolve, 5))
      inside -= 1
    }
    const asked = Array.from({ length: 10 }, (_, index) => environments[index % 2]?.locks.request(name, {}, work))
    await Promise.all(asked)
    expect(most).toBe(1)
  })

  it('keeps a lock for longer than a lease, and passes it on when it is let go of', async () => {
    const name = newName()
    const [a, b] = [openAnother(), openAnother()]
    const first = hold(a, name)
    await vi.waitFor(() => expect(first.isGranted).toBe(true), PATIENCE)
    const second = hold(b, name)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(second.isGranted).toBe(false)
    first.letGo()
    await vi.waitFor(() => expect(second.isGranted).toBe(true), PATIENCE)
    expect(first.error).toBeUndefined()
  })

  it('tells the holder of a lock that another one has stolen it', async () => {
    const name = newName()
    const [a, b] = [openAnother(), openAnother()]
    const first = hold(a, name)
    await vi.waitFor(() => expect(first.isGranted).toBe(true), PATIENCE)
    const thief = hold(b, name, { steal: true })
    await vi.waitFor(() => expect(thief.isGranted).toBe(true), PATIENCE)
    await vi.waitFor(() => expect(first.error?.name).toBe('AbortError'), PATIENCE)
  })

  it('a request that is given up leaves the lock alone', async () => {
    const name = newName()
    const [a, b] = [openAnother(), openAnother()]
    const first = hold(a, name)
    await vi.waitFor(() => expect(first.isGranted).toBe(true), PATIENCE)
    const controller = new AbortController()
    const second = b.locks.request(name, { signal: controller.signal }, vi.fn())
    controller.abort(new Error('enough'))
    await expect(second).rejects.toThrow('enough')
    first.letGo()
    expect(await b.locks.request(name, {}, async () => 'done')).toBe('done')
  })

  it('brings messages to the other channels of a name, of any length and in any language', async () => {
    const name = newName()
    const channels = [openAnother(), openAnother()].map((environment) => environment.channel(name))
    const other = openAnother().channel(newName())
    const heard: [number, unknown][] = []
    for (const [index, channel] of [...channels, other].entries())
      channel.onMessage((message) => heard.push([index, message]))
    const long = { text: 'ä😀"\n'.repeat(10_000) }
    // Until the other one listens.
    await vi.waitFor(() => {
      channels[0]?.postMessage('short')
      expect(heard).toContainEqual([1, 'short'])
    }, PATIENCE)
    channels[0]?.postMessage(long)
    await vi.waitFor(() => expect(heard).toContainEqual([1, long]), PATIENCE)
    expect(heard.every(([index]) => index === 1)).toBe(true)
    channels[1]?.close()
    channels[0]?.postMessage('late')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(heard).not.toContainEqual([1, 'late'])
  })

  it('brings messages again after its connection was cut, and says that some may have been lost', async () => {
    const name = newName()
    const [from, to] = [openAnother(), openAnother()]
    const [a, b] = [from.channel(name), to.channel(name)]
    const heard: unknown[] = []
    b.onMessage((message) => heard.push(message))
    const onBack = vi.fn()
    const stop = to.onPageShow(onBack)
    const hears = (message: string) =>
      vi.waitFor(
        () => {
          a.postMessage(message)
          expect(heard).toContain(message)
        },
        { ...PATIENCE, interval: 100 },
      )
    await hears('before')
    expect(onBack).not.toHaveBeenCalled()
    await cut()
    await vi.waitFor(() => expect(onBack).toHaveBeenCalledTimes(1), PATIENCE)
    await hears('after')

    stop()
    await cut()
    await hears('later')
    expect(onBack).toHaveBeenCalledTimes(1)
  })

  it('a client hears of what was forgotten while its connection was cut', async () => {
    const server = createLiveServer({ tools: workTools, pollIntervalMs: 250 })
    const storage = memoryStorage()
    let isDeaf = false
    let heard = 0
    const deaf = ({ channel, ...environment }: BackendEnvironment): BackendEnvironment => ({
      ...environment,
      channel: (name) => {
        const own = channel(name)
        const onMessage: Channel['onMessage'] = (listener) =>
          own.onMessage((message) => {
            heard += 1
            if (!isDeaf) listener(message)
          })
        return { ...own, onMessage }
      },
    })
    const scope = newName()
    const [a, b] = [openAnother(), deaf(openAnother())].map((environment) => {
      const own = { ...environment, fetch: server.fetch }
      const client = createTaskClient({ url: 'http://localhost/mcp', storage, scope, environment: own })
      onTestFinished(() => client.close())
      return client
    }) as [TaskClient, TaskClient]
    const { callId, result } = a.startToolCall({ name: 'work', arguments: { seconds: 600 } }, { key: 'k' })
    result.catch(() => {})
    await vi.waitFor(() => expect(a.getToolCallState(callId)?.phase).toBe('working'), PATIENCE)
    await b.resumeToolCalls()
    await vi.waitFor(() => expect(heard).toBeGreaterThan(0), PATIENCE)
    isDeaf = true
    await a.forget()
    await cut()
    await vi.waitFor(() => expect(b.getToolCallState(callId)).toBeUndefined(), PATIENCE)
  })

  it('close() lets another process have its locks at once', async () => {
    const name = newName()
    const [a, b] = [open(), openAnother()]
    const first = hold(a, name)
    await vi.waitFor(() => expect(first.isGranted).toBe(true), PATIENCE)
    const second = hold(b, name)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await a.close()
    await vi.waitFor(() => expect(second.isGranted).toBe(true), { timeout: 1400 })
    expect(first.error?.name).toBe('AbortError')
  })
}
