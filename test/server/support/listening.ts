import { messageOf, readSse } from '../../../src/server/http/sse.js'
import { settle } from './manualClock.js'
import { type Json, type RpcOptions, type RpcResponse, readResponse, rpcRequest } from './rpc.js'
import type { ServerUnderTest } from './serverUnderTest.js'

/** A client that listens. */
export interface Listening {
  /** Everything that came so far, comments left out, once all that can run has run. */
  messages(): Promise<Json[]>
  /** How many comments came so far. */
  comments(): number
  /** True once the server has ended the stream. */
  ended(): Promise<boolean>
  /** Resolves when the server has ended the stream, however long that takes. */
  readonly over: Promise<void>
  /** Resolves when a message has come that fits, however long that takes. */
  seen(fits: (message: Json) => boolean): Promise<void>
  /** Goes away, as a page does that is closed. */
  hangUp(): Promise<void>
}

/** Sends `subscriptions/listen` and reads what comes. */
export async function listen(
  { server }: ServerUnderTest,
  notifications: Json,
  options?: RpcOptions,
): Promise<Listening> {
  const client = new AbortController()
  const request = rpcRequest('subscriptions/listen', { notifications }, { ...options, signal: client.signal })
  const response = await server.fetch(request, options)
  if (response.body === null || response.status !== 200) throw new Error(`no stream but ${response.status}`)
  const reader = response.body.getReader()
  const messages: Json[] = []
  let comments = 0
  let isOver = false
  let wake = () => {}
  const read = async () => {
    for await (const frame of readSse(reader)) {
      const message = messageOf(frame)
      if (message === undefined) comments += 1
      else messages.push(message)
      wake()
    }
    isOver = true
    wake()
  }
  const over = read()
  return {
    over,
    async seen(fits) {
      while (!messages.some(fits) && !isOver) await new Promise<void>((resolve) => (wake = resolve))
    },
    async messages() {
      await settle()
      return messages
    },
    comments: () => comments,
    async ended() {
      await settle()
      return isOver
    },
    async hangUp() {
      client.abort()
      await settle()
    },
  }
}

/** Sends `subscriptions/listen` where no stream is to be expected. */
export async function listenInVain(
  { server }: ServerUnderTest,
  notifications: unknown,
  options?: RpcOptions,
): Promise<RpcResponse> {
  return readResponse(await server.fetch(rpcRequest('subscriptions/listen', { notifications }, options), options))
}

export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

/** The id under which an acknowledgement came. */
export const subscriptionOf = (ack: Json | undefined): unknown =>
  (ack as { params: { _meta: Json } }).params._meta[SUBSCRIPTION]

/** Method, then what the message is about. */
export const gist = ({ method, params, result }: Json): unknown[] => {
  if (result !== undefined) return ['end']
  const { notifications, status, statusMessage, uri } = params as Json
  return [
    String(method).replace('notifications/', ''),
    notifications ?? uri ?? [status, statusMessage].join(' ').trim(),
  ]
}
