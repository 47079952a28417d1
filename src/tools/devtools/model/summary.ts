import type { CallObservation, PageObservation } from '../../../core/client/observe/events.js'
import type { ConnectionState } from '../../../core/wire/connection.js'
import type { Fault } from '../faults/createFaultInjection.js'
import { FAULT_NAMES } from '../faults/faultNames.js'
import { lastOf } from './lastOf.js'
import type { Tone } from './timeline.js'

/** How page, network and tabs are, each in a word or two. */
export interface Summary {
  readonly name: string
  readonly value: string
  readonly tone: Tone
}

/** The page before anything of it was observed. */
export interface PageStart {
  readonly isOnline: boolean
  readonly isVisible: boolean
}

export interface SummaryParts {
  /** How each server is, with its URL where the client knows it. */
  readonly servers: readonly { readonly url: string | undefined; readonly connection: ConnectionState }[]
  readonly start: PageStart
  readonly ofPage: readonly PageObservation[]
  readonly ofCalls: readonly CallObservation[]
  readonly faults: ReadonlySet<Fault>
}

const CONNECTION_TONES: Record<ConnectionState['status'], Tone> = {
  idle: 'neutral',
  connecting: 'active',
  connected: 'success',
  failed: 'danger',
  unauthorized: 'danger',
  closed: 'neutral',
}

export function summaryOf({ servers, start, ofPage, ofCalls, faults }: SummaryParts): Summary[] {
  const { network, page } = pageNow(start, ofPage)
  return [
    ...servers.map(({ url, connection: { status, server, protocolVersion } }): Summary => {
      const whom = [server?.name, protocolVersion].filter(Boolean).join(', ')
      // One server needs no name.
      return {
        name: servers.length > 1 && url !== undefined ? url : 'Server',
        value: whom ? `${status} (${whom})` : status,
        tone: CONNECTION_TONES[status],
      }
    }),
    { name: 'Network', value: network, tone: network === 'online' ? 'success' : 'warning' },
    { name: 'Page', value: page, tone: page === 'visible' ? 'success' : 'neutral' },
    { name: 'Polls', value: pollerOf(ofCalls), tone: 'neutral' },
    ...(faults.size === 0 ? [] : [{ name: 'Faults', value: namesOf(faults), tone: 'warning' } as const]),
  ]
}

const namesOf = (faults: ReadonlySet<Fault>) => [...faults].map((fault) => FAULT_NAMES[fault]).join(', ')

function pageNow({ isOnline, isVisible }: PageStart, ofPage: readonly PageObservation[]) {
  const network = lastOf(ofPage, ({ state }) => state === 'online' || state === 'offline')?.state
  const page = lastOf(ofPage, ({ state }) => state !== 'online' && state !== 'offline')?.state
  const seen = page === 'restored' ? 'visible' : page
  return { network: network ?? (isOnline ? 'online' : 'offline'), page: seen ?? (isVisible ? 'visible' : 'hidden') }
}

/** Which tab polls: the one that did, or was told to, last. */
function pollerOf(ofCalls: readonly CallObservation[]): string {
  const last = lastOf(ofCalls, ({ type }) => type in POLLERS)?.type
  return POLLERS[last as keyof typeof POLLERS] ?? 'nothing to poll yet'
}

const POLLERS = {
  'poll-sent': 'this tab',
  'leader-gained': 'this tab',
  'leader-lost': 'another tab',
  'tab-event': 'another tab',
}
