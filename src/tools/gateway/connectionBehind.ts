import type { Client } from '@modelcontextprotocol/client'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { createBackoff } from '../../server/base/backoff.js'
import { sleep } from '../../server/base/sleep.js'
import { type ConnectBehindOptions, type ConnectedBehind, connectBehind } from './connectBehind.js'
import { openInTime } from './openInTime.js'
import type { ServerBehindOptions } from './serverBehind.js'

/** The connection of an owner to the server behind: made when it is needed, and again where it was lost. */
export interface ConnectionBehind {
  /** True while it is there, or is being made. */
  readonly isThere: boolean
  /** Resolves to the connection. Rejects where the server cannot be connected to. */
  get(): Promise<OpenedBehind>
  /** Has the next call get another connection. This one stays for the calls that it has let in. */
  leave(opened: OpenedBehind): Promise<void>
  /** Has tasks followed again for which nothing is sent since a token was refused: there is a newer one. */
  renew(): Promise<void>
  /** Closes the connections that were left. */
  closeLeft(): Promise<void>
  close(): Promise<void>
}

/** A connection, and the token that its transport was made with. */
export interface OpenedBehind extends ConnectedBehind {
  readonly token: string | undefined
}

/** What a {@link ConnectionBehind} is made of. */
export interface ConnectionBehindOptions
  extends Pick<ServerBehindOptions, 'open' | 'token'>,
    Omit<ConnectBehindOptions, 'transport' | 'onToolsChanged' | 'onClose'> {
  /** Has the tools listed. */
  readonly refresh: (client: Client) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** No connection has been made yet. */
export function createConnectionBehind(options: ConnectionBehindOptions): ConnectionBehind {
  const { open, token, refresh, onError, clock, signal } = options
  const backoff = createBackoff()
  const left = new Set<OpenedBehind>()
  let connection: Promise<OpenedBehind> | undefined
  let startAt = 0
  let pauseMs = 0

  /** The next connection is made later: a server that ends at once must not be started all the time. A lost one is lost once. */
  function rest(lost: Promise<OpenedBehind>): void {
    if (connection !== lost) return
    connection = undefined
    pauseMs = backoff.next(clock.now())
    startAt = clock.now() + pauseMs
  }

  async function connect(onLost: () => void): Promise<OpenedBehind> {
    // No longer than that, where the clock was set back meanwhile.
    await sleep(clock, Math.min(startAt - clock.now(), pauseMs), signal)
    const madeWith = token()
    const found: ConnectedBehind = await connectBehind({
      ...options,
      transport: await openInTime(open, clock, signal),
      onToolsChanged: () => void refresh(found.client).catch(onError),
      onClose() {
        if (!signal.aborted) onLost()
      },
    })
    try {
      await refresh(found.client)
      return { ...found, token: madeWith }
    } catch (error) {
      await found.client.close()
      throw error
    }
  }

  async function closeLeft(): Promise<void> {
    const closed = [...left].map(({ client }) => client.close())
    left.clear()
    await Promise.all(closed)
  }

  return {
    get isThere() {
      return connection !== undefined
    },
    get() {
      if (connection !== undefined) return connection
      const made: Promise<OpenedBehind> = connect(() => rest(made))
      connection = ignoreRejection(made)
      made.catch(() => rest(made))
      return made
    },
    async leave(opened) {
      left.add(opened)
      const current = connection
      if ((await current?.catch(() => undefined)) === opened && connection === current) connection = undefined
    },
    async renew() {
      const found = await connection?.catch(() => undefined)
      await Promise.all([found, ...left].map((each) => each?.taskClient.connect()))
    },
    closeLeft,
    async close() {
      const found = await connection?.catch(() => undefined)
      await Promise.all([found?.client.close(), closeLeft()])
    },
  }
}
