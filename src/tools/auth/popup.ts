import type { Channel, Environment } from '../../core/environment/environment.js'
import { errorFromJson } from '../../core/protocol/errorJson.js'
import { TaskError } from '../../core/protocol/errors.js'
import { authorizationFailed } from '../../sdk/signIn/authorizationFailed.js'

/** How long the tab that waits for a callback may take to say that it is there, and then to sign in, in ms. */
const TAKE_MS = 2000
const FINISH_MS = 60_000

/**
 * How the window with the callback and the tab that has opened it talk. The code goes over the channel and into no
 * storage; without the verifier, which stays in the tab, nobody can use it.
 *
 * ```text
 * window                      tab
 * callback, state 7  ───────▶ has begun 7
 *                    ◀─────── taken 7
 *                             exchanges the code
 *                    ◀─────── finished 7, or why not
 * ```
 */
type Message =
  | { readonly type: 'callback'; readonly state: string; readonly search: string }
  | { readonly type: 'taken'; readonly state: string }
  | { readonly type: 'finished'; readonly state: string; readonly error?: unknown }

/** Waits for the callback of a sign-in. Returns a function that stops waiting. */
export function awaitCallback(
  channel: Channel,
  state: string,
  finish: (callback: URLSearchParams) => Promise<void>,
): () => void {
  let isTaken = false
  channel.onMessage(async (data) => {
    const message = data as Message
    if (message.type !== 'callback' || message.state !== state || isTaken) return
    isTaken = true
    post(channel, { type: 'taken', state })
    try {
      await finish(new URLSearchParams(message.search))
      post(channel, { type: 'finished', state })
    } catch (error) {
      post(channel, { type: 'finished', state, error: error instanceof TaskError ? error.toJSON() : {} })
    }
    channel.close()
  })
  return () => {
    if (!isTaken) channel.close()
  }
}

/** Gives a callback to the tab that waits for it. Resolves when that tab has signed in. */
export function handOver(channel: Channel, environment: Environment, callback: URLSearchParams): Promise<void> {
  const state = callback.get('state') ?? ''
  return new Promise<void>((resolve, reject) => {
    const fail = () => reject(authorizationFailed('foreign-state'))
    let timer = environment.setTimeout(fail, TAKE_MS)
    channel.onMessage((data) => {
      const message = data as Message
      if (message.state !== state || message.type === 'callback') return
      environment.clearTimeout(timer)
      if (message.type === 'taken') timer = environment.setTimeout(fail, FINISH_MS)
      else if (message.error === undefined) resolve()
      else reject(errorFromJson(message.error))
    })
    post(channel, { type: 'callback', state, search: callback.toString() })
  }).finally(() => channel.close())
}

function post(channel: Channel, message: Message): void {
  channel.postMessage(message)
}
