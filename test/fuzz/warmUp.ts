import { createClientOf } from '../support/createClientOf.js'
import { createClientNetwork } from './clientNetwork.js'
import { createWireServer } from './wireServer.js'

/**
 * Has everything loaded that is loaded when it is needed, in real time: simulated time does not wait for files,
 * and the first runs would be others than the same ones played again.
 */
export async function warmUp(): Promise<void> {
  for (const [kind, era] of [
    ['full', 'modern'],
    ['full', 'legacy'],
    ['lite', 'modern'],
  ] as const) {
    const later = (callback: () => void, delayMs: number) => void setTimeout(callback, delayMs)
    const server = createWireServer({ era, push: false, now: Date.now, later, onExecuted: () => {} })
    const network = createClientNetwork({
      server,
      faults: [],
      later,
      isOnline: () => true,
      isFlooded: () => false,
      onSend: () => {},
      onArrived: () => {},
      onFault: () => {},
    })
    const client = createClientOf(kind, {
      url: 'http://localhost/mcp',
      storage: 'memory',
      crossTab: false,
      transportOptions: { fetch: (_url, init = {}) => network.fetch('page', init) },
    })
    const questions = ['size']
    const plan = { nonce: 'warm', answer: 'task', seconds: 0, outcome: 'success', intervalsMs: [50, 50], ttlMs: null }
    const call = client.startToolCall({ name: 'work', arguments: { ...plan, obeysCancel: true, questions } })
    await new Promise<void>((resolve) => {
      call.subscribe(({ inputRequests }) => {
        if (Object.keys(inputRequests).length > 0) resolve()
      })
    })
    for (const key of Object.keys(call.getState().inputRequests))
      await call.respond(key, { action: 'accept', content: { answer: 'x' } })
    await call.result
    await client.close()
  }
}
