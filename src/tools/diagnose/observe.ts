import { type AskerEnvironment, type AskerOptions, createAsker } from './createAsker.js'
import { isLoopback, isPrivateAddress } from './isPrivateAddress.js'
import { type MeetServerOptions, meetServer } from './meetServer.js'
import { initializeMessage } from './messages.js'
import type { Answer, Observed, Page, PreflightSeen } from './observed.js'
import { askPreflight, headerSets } from './preflight.js'

export interface ObserveOptions extends Omit<AskerOptions, 'environment'>, MeetServerOptions {
  readonly environment: AskerEnvironment
}

export interface ObserveOutsideOptions extends ObserveOptions {
  /** Of the page that is to use the server. @default one that is made up, which the server need not let in */
  readonly origin: string | undefined
  /** The address of the server, where it was looked up. */
  readonly address?: string | undefined
}

/** Looks at a server from outside of a page, where every header can be sent and read. */
export async function observe(options: ObserveOutsideOptions): Promise<Observed> {
  const { url, origin, address = url.hostname } = options
  const page = pageOf(url, origin)
  const isPrivate =
    page !== undefined &&
    !page.isAssumed &&
    isPrivateAddress(address) &&
    !isPrivateAddress(new URL(page.origin).hostname)

  const stranger = createAsker(options)
  const [set = []] = headerSets({ era: undefined, hasSession: false, needsCredentials: false })
  const opening = page && (await askPreflight(stranger, page, set, isPrivate))
  // A server that does not know the made-up origin may refuse whatever comes from it.
  const sendsOrigin = page !== undefined && (!page.isAssumed || opening?.allowsOrigin === true)
  const headers = { ...options.headers, ...(sendsOrigin && { origin: page.origin }) }
  const asked = await meetServer(createAsker({ ...options, headers }), options)
  // Something in front of the server may have answered the preflight.
  const again = sendsOrigin && isForbidden(asked) ? await meetServer(stranger, options) : undefined
  const isOriginRefused = again?.server !== undefined
  const met = isOriginRefused ? again : asked
  const needsCredentials = asksForCredentials(met) || sendsCredentials(options)
  const isThere = met.first !== undefined && !('failure' in met.first)
  const sets = headerSets({ era: met.server?.era, hasSession: met.server?.hasSession === true, needsCredentials })
  const isCorsAsked = page !== undefined && !(page.isAssumed && isOriginRefused)
  const preflights =
    isCorsAsked && isThere ? await Promise.all(sets.map((one) => askPreflight(stranger, page, one, isPrivate))) : []
  return {
    url,
    page,
    isOffline: false,
    seesHeaders: true,
    needsCredentials,
    preflights,
    isReadable: undefined,
    isOriginRefused,
    ...met,
  }
}

export interface ObserveInPageOptions extends ObserveOptions {
  /** Undefined where there is no page, as during server rendering. */
  readonly pageUrl: string | undefined
  readonly isOnline: boolean
}

/** Looks at a server from inside of a page, where a preflight can only be told by what fails. */
export async function observeInPage(options: ObserveInPageOptions): Promise<Observed> {
  const { url, pageUrl, isOnline } = options
  const page = pageUrl === undefined ? undefined : pageOf(url, new URL(pageUrl).origin)
  const needsCredentials = sendsCredentials(options)
  const base = { url, page, isOffline: !isOnline, seesHeaders: false, needsCredentials, isOriginRefused: false }
  const unasked = { preflights: [], isReadable: undefined }
  if (!isOnline || isMixedContent(page, url)) return { ...base, ...unasked, ...NOT_MET }
  const met = await meetServer(createAsker(options), options)
  const isSilent = (answer: Answer | undefined) => answer !== undefined && 'failure' in answer
  if (page !== undefined && isSilent(met.first)) return { ...base, ...met, ...(await whatFails(options)) }
  // The first request with the header that names its task, and the first that is not let through.
  const isNameRefused = page !== undefined && isSilent(met.unknownTask)
  return {
    ...base,
    ...met,
    needsCredentials: base.needsCredentials || asksForCredentials(met),
    isReadable: undefined,
    preflights: isNameRefused ? [preflightSeen(true, ['mcp-name'])] : [],
    unknownTask: isNameRefused ? undefined : met.unknownTask,
  }
}

const NOT_MET = {
  first: undefined,
  server: undefined,
  refusal: undefined,
  unknownTask: undefined,
  stream: undefined,
  run: undefined,
}

/**
 * Why a request failed without a word:
 *
 * ```text
 * no-cors fails ......... no server, or something before it
 * a plain GET fails ..... the origin is not allowed
 * POST with one header .. that header is not allowed, or none is
 * ```
 */
async function whatFails(options: ObserveInPageOptions): Promise<Pick<Observed, 'preflights' | 'isReadable'>> {
  const asker = createAsker({ ...options, headers: {} })
  const passes = async (request: RequestInit) => !('failure' in (await asker.send(request)))
  // Browsers take no other redirect mode together with no-cors.
  if (!(await passes({ method: 'POST', mode: 'no-cors', redirect: 'follow', body: '' })))
    return { preflights: [], isReadable: undefined }
  const isReadable = await passes({ method: 'GET' })
  const { body } = initializeMessage()
  const refused: string[] = []
  for (const name of HEADERS) {
    const value = name === 'content-type' ? 'application/json' : 'x'
    if (!(await passes({ method: 'POST', headers: { [name]: value }, body }))) refused.push(name)
  }
  return { preflights: [preflightSeen(isReadable, refused)], isReadable }
}

const [, HEADERS = []] = headerSets({ era: 'modern', hasSession: false, needsCredentials: false })

/** A preflight as far as a page can tell. */
function preflightSeen(isReadable: boolean, refused: readonly string[]): PreflightSeen {
  return {
    headers: HEADERS,
    status: undefined,
    allowsOrigin: isReadable,
    refused,
    maxAge: undefined,
    allowsPrivateNetwork: undefined,
  }
}

/** Undefined for a page of the server's own origin. */
function pageOf(url: URL, origin: string | undefined): Page | undefined {
  if (origin === url.origin) return undefined
  if (origin !== undefined) return { origin, isAssumed: false }
  const local = url.port === '5173' ? 'http://localhost:5174' : 'http://localhost:5173'
  return { origin: isLoopback(url.hostname) ? local : 'https://app.example', isAssumed: true }
}

/** True if a browser does not even try: a page with TLS, a server without. */
export function isMixedContent(page: Page | undefined, url: URL): boolean {
  return page?.origin.startsWith('https:') === true && url.protocol === 'http:' && !isLoopback(url.hostname)
}

function asksForCredentials({ first }: Pick<Observed, 'first'>): boolean {
  return first !== undefined && 'status' in first && (first.status === 401 || first.status === 403)
}

function isForbidden({ first }: Pick<Observed, 'first'>): boolean {
  return first !== undefined && 'status' in first && first.status === 403
}

function sendsCredentials({ headers }: Pick<AskerOptions, 'headers'>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
