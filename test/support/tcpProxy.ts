import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * What a proxy does with connections. `pass` forwards. `lag` forwards late. `swallow` takes what it gets and forwards nothing, on
 * connections that are there and on new ones. `reset` cuts those that are there and each that is opened.
 */
export type ProxyMode = 'pass' | 'lag' | 'swallow' | 'reset'

/** A TCP proxy in front of a server, which can be there or not. */
export interface TcpProxy {
  readonly port: number
  set(mode: ProxyMode): void
  /** Cuts all connections that are open. */
  cut(): void
  close(): Promise<void>
}

const LAG_MS = 400

/** A proxy on a port of its own. What a `swallow` has lost does not come back: connections from that time are cut when it ends. */
export async function startTcpProxy(target: number, mode: ProxyMode = 'pass'): Promise<TcpProxy> {
  let current = mode
  /** The open pairs; true where bytes were lost. */
  const pairs = new Map<readonly [Socket, Socket], { hasLost: boolean }>()

  const server = createServer((from) => {
    from.on('error', () => {})
    if (current === 'reset') return void from.resetAndDestroy()
    const to = connect(target, '127.0.0.1')
    to.on('error', () => {})
    const pair = [from, to] as const
    const state = { hasLost: false }
    pairs.set(pair, state)
    const end = () => {
      pairs.delete(pair)
      from.destroy()
      to.destroy()
    }
    from.on('close', end)
    to.on('close', end)
    const forward = (source: Socket, sink: Socket) => {
      // One after the other: what came before a change of the mode stays before what comes after it.
      let sent = Promise.resolve()
      source.on('data', (bytes) => {
        if (current === 'swallow') {
          state.hasLost = true
          return
        }
        const late = current === 'lag' ? new Promise<void>((resolve) => setTimeout(resolve, LAG_MS)) : undefined
        sent = sent.then(() => late).then(() => void sink.write(bytes))
      })
    }
    forward(from, to)
    forward(to, from)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const cut = (isWanted: (state: { hasLost: boolean }) => boolean) => {
    for (const [[from, to], state] of pairs) {
      if (!isWanted(state)) continue
      from.resetAndDestroy()
      to.destroy()
    }
  }

  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      const before = current
      current = next
      if (next === 'reset') cut(() => true)
      else if (before === 'swallow') cut(({ hasLost }) => hasLost)
    },
    cut: () => cut(() => true),
    async close() {
      server.close()
      cut(() => true)
      await once(server, 'close')
    },
  }
}
