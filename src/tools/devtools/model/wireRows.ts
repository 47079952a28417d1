import type { WireHeaders, WireObservation } from '../../../core/client/observe/events.js'
import { curlOf } from './curl.js'
import { bytes, duration } from './format.js'
import type { ClientWireObservation } from './observationLog.js'
import type { Tone } from './timeline.js'

/** A request with its response and what came in its stream, or a message that the server sent unasked. */
export interface WireRow {
  readonly key: string
  readonly at: number
  readonly method: string
  /** The status, or what there is in its place. */
  readonly status: string
  /** Duration, size, and what came in the stream; or why there is no response. */
  readonly outcome: string
  readonly tone: Tone
  readonly task: string | undefined
  /** Where the server is; undefined where there is only one. */
  readonly server: string | undefined
  /** A command that sends the request again; undefined for what is no request over HTTP. */
  readonly curl: string | undefined
  readonly parts: readonly WirePart[]
}

/** One message of an exchange. */
export interface WirePart {
  readonly key: string
  readonly title: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** What went over the wire, newest first. `servers` has the place of the server of each client, where there are several. */
export function wireRowsOf(
  observations: readonly ClientWireObservation[],
  servers: readonly (string | undefined)[] = [],
): WireRow[] {
  const exchanges = new Map<string, WireObservation[]>()
  for (const { client, observation } of observations) {
    const key = `${client} ${observation.exchange}`
    const exchange = exchanges.get(key)
    if (exchange === undefined) exchanges.set(key, [observation])
    else exchange.push(observation)
  }
  return [...exchanges].map(([key, exchange]) => wireRow(key, exchange, servers[Number.parseInt(key, 10)])).reverse()
}

function wireRow(key: string, exchange: readonly WireObservation[], server: string | undefined): WireRow {
  const [first] = exchange
  const sent = exchange.find((one) => one.type === 'wire-sent')
  const answered = exchange.find((one) => one.type === 'wire-answered')
  const failed = exchange.find((one) => one.type === 'wire-failed')
  const events = exchange.filter(({ type }) => type === 'wire-event')
  const status = answered?.http?.status
  const isRefused = status !== undefined && status >= 400
  const parts = [
    failed?.message,
    answered && duration(answered.ms),
    answered?.size === undefined ? undefined : bytes(answered.size),
    events.length > 0 && `${events.length} in the stream`,
  ]
  return {
    key,
    at: first?.at ?? 0,
    method: first?.method ?? (first?.id === undefined ? 'message' : `response to ${first.id}`),
    status: failed ? 'no response' : statusOf(answered, sent),
    outcome: parts.filter(Boolean).join(' · '),
    tone: failed || isRefused ? 'danger' : answered || !sent ? 'success' : 'active',
    task: exchange.find(({ task }) => task !== undefined)?.task,
    server,
    // Of one that is looked at: bodies are long, and the list is drawn often.
    get curl() {
      return sent && curlOf(sent)
    },
    get parts() {
      return exchange.map((one, index) => wirePart(one, `${one.type} ${one.at} ${index}`))
    },
  }
}

function statusOf(answered: WireObservation | undefined, sent: WireObservation | undefined): string {
  if (answered === undefined) return sent ? 'sent' : 'received'
  return answered.type === 'wire-answered' && answered.http ? String(answered.http.status) : 'answered'
}

const TITLES = {
  'wire-sent': 'Request',
  'wire-answered': 'Response',
  'wire-failed': 'No response',
  'wire-event': 'Message',
}

function wirePart(observation: WireObservation, key: string): WirePart {
  const http = 'http' in observation ? observation.http : undefined
  const line = http && ('url' in http ? `${http.method} ${http.url}` : `status ${http.status}`)
  return {
    key,
    title: [TITLES[observation.type], line].filter(Boolean).join(': '),
    headers: Object.entries<string>(http?.headers ?? ({} satisfies WireHeaders)),
    body: 'message' in observation ? observation.message : pretty(observation.body ?? ''),
  }
}

/** With line breaks, where it is whole. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
