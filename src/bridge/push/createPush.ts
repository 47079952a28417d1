import webPush, { type RequestDetails, type RequestOptions } from 'web-push'
import { checkMembers, type NamesOf } from '../../core/client/checkNames.js'
import { mustBe } from '../../core/client/mustBe.js'
import { asError } from '../../core/protocol/asError.js'
import { TaskConfigurationError, TaskStorageError } from '../../core/protocol/errors.js'
import { headingOf } from '../../core/record/headingOf.js'
import type { SettledToolCall } from '../../core/record/toolCallState.js'
import { inTime } from '../../core/storage/inTime.js'
import type { DueDelivery } from '../delivery/delivery.js'
import {
  checkDeliveryOptions,
  type Deliveries,
  type DeliveryOptions,
  deliveryEnvironment,
  reporterOf,
} from '../delivery/deliveryOptions.js'
import { createOutbox } from '../delivery/outbox.js'
import { post } from '../delivery/post.js'
import { LONGEST_DELAY_MS } from '../delivery/retryDelay.js'
import type { Attempt } from '../delivery/sending.js'
import type { DeliveryEnvironment } from '../delivery/shelf.js'
import { createSubscriptions, isKnownService, readSubscription, type Subscription } from './subscriptions.js'

/**
 * The key pair that identifies your app to push services (VAPID, RFC 8292). Generate it once:
 * `npx web-push generate-vapid-keys`.
 */
export interface VapidKeys {
  /** The key that pages subscribe with. */
  publicKey: string
  privateKey: string
  /** Where a push service can reach you: a `mailto:` or `https:` URL. */
  subject: string
}

/** A message as the service worker of the page reads it: `event.data.json()`. */
export interface PushMessage {
  title: string
  /** The text below the title. Others may read it over the user's shoulder. */
  body?: string
  /** The page that a click on the notification opens. */
  url?: string
  /**
   * A notification replaces an earlier one with the same tag. @default the id of the message, so that a message that
   * arrives twice is shown once
   */
  tag?: string
  [more: string]: unknown
}

/** Options of {@link createPush}. */
export interface PushOptions extends DeliveryOptions {
  vapid: VapidKeys
  /**
   * Returns the message, at most 3,000 bytes of JSON, or `undefined` to send nothing. The message is encrypted for the
   * browser, but the notification may appear on a lock screen.
   * @default the `title` of the call's `meta`, or the name of the tool, and how the call ended, in English
   */
  message?: (call: SettledToolCall, userId: string) => PushMessage | undefined
  /**
   * How long a message stays valid, in ms, at most a week. A device that is off for longer does not receive it. @default
   * 86400000
   */
  ttlMs?: number
  /** How urgently the message should wake a device. @default 'normal' */
  urgency?: 'very-low' | 'low' | 'normal' | 'high'
  /**
   * Returns true for the URL of a push service. Pages supply these URLs, and this backend sends requests to them.
   * @default the push services of Chrome, Edge, Firefox and Safari
   */
  isPushService?: (url: URL) => boolean
}

/** The return value of {@link createPush}. */
export interface Push extends Deliveries {
  /** The public key, for pages to pass as `applicationServerKey` to `pushManager.subscribe()`. */
  readonly publicKey: string
  /**
   * Adds a browser that receives messages for this user. Pass the subscription that `pushManager.subscribe()` returned, as
   * JSON. Resolves to false if it is not a subscription at a push service. A subscription belongs to the user who
   * subscribed with it last. The newest 20 of each user are kept. Rejects if there is no user id, and if the storage fails.
   */
  readonly subscribe: (userId: string, subscription: unknown) => Promise<boolean>
  /**
   * Removes a browser, by the `endpoint` of its subscription. Call it when the user no longer wants messages there, and
   * when they sign out.
   */
  readonly unsubscribe: (userId: string, endpoint: string) => Promise<void>
  /**
   * Removes everything that is kept for a user: subscriptions, and messages that are not delivered yet. Call it when you
   * delete the user. Rejects if the storage fails; then call it again later.
   */
  readonly forgetUser: (userId: string) => Promise<void>
}

const OPTIONS: NamesOf<PushOptions> = {
  vapid: true,
  storage: true,
  message: true,
  ttlMs: true,
  urgency: true,
  isPushService: true,
  filter: true,
  onError: true,
  environment: true,
}

/** What push services take for certain is 4,096 bytes, with the overhead of encryption. */
const MAX_BYTES = 3000

/**
 * Sends a Web Push message to the user's browsers when a call has ended, even if no page is open. Messages are encrypted
 * (RFC 8291) and signed with VAPID (RFC 8292). A message is stored before it is sent, and sent again with backoff until the
 * push services have accepted it, or it is no longer valid. A subscription that a push service no longer knows is removed.
 *
 * @throws {TaskConfigurationError} if an option cannot be used.
 *
 * @example
 * ```ts
 * const storage = fileStorage('.taskwire')
 * const push = createPush({
 *   storage,
 *   vapid: {
 *     publicKey: process.env['VAPID_PUBLIC_KEY'] ?? '',
 *     privateKey: process.env['VAPID_PRIVATE_KEY'] ?? '',
 *     subject: 'mailto:ops@example.com',
 *   },
 *   message: (call) => ({ title: `${call.name} is done`, url: '/reports' }),
 * })
 * const pool = createClientPool({
 *   create: () => ({ url: 'https://mcp.example.com/mcp', storage }),
 *   onCreate: push.watch,
 * })
 * await push.resume(pool.get)
 * ```
 */
export function createPush(options: PushOptions): Push {
  checkOptions(options)
  const { vapid, storage, message = defaultMessage, filter = () => true, onError } = options
  const { isPushService = isKnownService, ttlMs = LONGEST_DELAY_MS, urgency = 'normal' } = options
  const environment = deliveryEnvironment(options.environment)
  const subscriptions = createSubscriptions(storage, environment.now)
  const report = reporterOf(onError, environment)
  const { watch, resume, forget, close } = createOutbox({
    name: 'push',
    storage,
    environment,
    limitMs: ttlMs,
    report,
    payloadOf: (call, userId) => (filter(call, userId) === true ? payloadOf(message(call, userId)) : undefined),
    attempt: async (delivery, signal) => {
      // At most the whole time, also by a clock that was set back.
      const leftMs = Math.min(ttlMs, Math.max(0, delivery.endedAt + ttlMs - environment.now()))
      const secondsLeft = Math.floor(leftMs / 1000)
      const details = {
        vapidDetails: vapid,
        TTL: secondsLeft,
        urgency,
        topic: delivery.id,
        contentEncoding: 'aes128gcm',
      } as const
      const send = async (subscription: Subscription): Promise<Attempt> => {
        const request = requestTo(subscription, withTag(delivery), details)
        if (request instanceof Error) {
          report(request, delivery.userId)
          return { outcome: 'over', error: request }
        }
        const { endpoint, headers, body } = request
        const sent = { headers: textsOf(headers), body: new Uint8Array(body ?? []) }
        return post(endpoint, sent, [404, 410], environment, signal)
      }
      return attempt(delivery, subscriptions, send, report, environment)
    },
  })
  return {
    publicKey: vapid.publicKey,
    watch,
    resume,
    close,
    subscribe: async (userId, given) => {
      if (typeof userId !== 'string' || userId === '')
        throw mustBe('The id of a user', userId, 'a string that is not empty')
      const subscription = readSubscription(given)
      if (subscription === undefined || !isPushService(new URL(subscription.endpoint))) return false
      await subscriptions.add(userId, subscription)
      return true
    },
    unsubscribe: (userId, endpoint) => subscriptions.remove(userId, endpoint),
    forgetUser: async (userId) => {
      await forget(userId)
      await subscriptions.clear(userId)
    },
  }
}

/** Sends a message to the browsers of its user that do not have it yet. */
async function attempt(
  { userId, reached: before }: DueDelivery,
  { list, remove }: ReturnType<typeof createSubscriptions>,
  send: (subscription: Subscription) => Promise<Attempt>,
  report: (error: Error, userId: string) => void,
  environment: DeliveryEnvironment,
): Promise<Attempt> {
  try {
    const reached = new Set(before)
    const failed: Extract<Attempt, { outcome: 'again' }>[] = []
    const sendTo = async (subscription: Subscription) => {
      const { endpoint } = subscription
      if (reached.has(endpoint)) return
      const sent = await send(subscription)
      if (sent.outcome === 'again') failed.push(sent)
      else reached.add(endpoint)
      if (sent.outcome !== 'over') return
      // It is tried again with the next message.
      await inTime(remove(userId, endpoint), environment).catch((cause: unknown) =>
        report(new TaskStorageError('Failed to remove a browser that takes no messages.', { cause }), userId),
      )
    }
    await Promise.all((await inTime(list(userId), environment)).map(sendTo))
    const [first] = failed
    if (first === undefined) return { outcome: 'taken' }
    const retryAfterMs = Math.max(...failed.map((each) => each.retryAfterMs ?? 0))
    return { ...first, retryAfterMs, reached: [...reached] }
  } catch (cause) {
    const error = new TaskStorageError('Failed to read the browsers of a user.', { cause })
    report(error, userId)
    return { outcome: 'again', error }
  }
}

/** The request with the encrypted message; an error where the browser has sent keys that are none. */
function requestTo(subscription: Subscription, payload: string, details: RequestOptions): RequestDetails | Error {
  try {
    return webPush.generateRequestDetails(subscription, payload, details)
  } catch (thrown) {
    return asError(thrown)
  }
}

function defaultMessage(call: SettledToolCall): PushMessage {
  return { title: headingOf(call) }
}

function payloadOf(message: PushMessage | undefined): string | undefined {
  if (message === undefined) return undefined
  const payload = JSON.stringify(message)
  const bytes = new TextEncoder().encode(payload).length
  if (bytes <= MAX_BYTES) return payload
  throw new TaskConfigurationError(
    `\`message\` of createPush returned ${bytes} bytes of JSON; ${MAX_BYTES} is the most that a push message may have. Send less, and let the service worker fetch the rest.`,
  )
}

/** The message that one who gets it twice can tell apart from another. */
function withTag({ id, payload }: DueDelivery): string {
  return JSON.stringify({ tag: id, ...(JSON.parse(payload) as PushMessage) })
}

function textsOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  // The length is that of the body: fetch sets it.
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name === 'Content-Length' ? [] : [[name, String(value)]])),
  )
}

function checkOptions(options: PushOptions): void {
  checkMembers(Object(options), OPTIONS)
  checkDeliveryOptions('createPush', Object(options))
  const { vapid, message, ttlMs, isPushService } = options
  for (const [name, value] of Object.entries({ message, isPushService }))
    if (value !== undefined && typeof value !== 'function') throw mustBe(name, value, 'a function')
  const isTime = ttlMs === undefined || (typeof ttlMs === 'number' && ttlMs >= 0 && ttlMs <= 7 * LONGEST_DELAY_MS)
  if (!isTime) throw mustBe('ttlMs', ttlMs, `a number from 0 to ${7 * LONGEST_DELAY_MS}`)
  const { publicKey, privateKey, subject } = Object(vapid) as Partial<VapidKeys>
  try {
    webPush.getVapidHeaders('https://example.com', subject ?? '', publicKey ?? '', privateKey ?? '', 'aes128gcm')
  } catch (cause) {
    throw new TaskConfigurationError(
      `The option vapid cannot be used: ${asError(cause).message} Make keys with \`npx web-push generate-vapid-keys\`, and pass { publicKey, privateKey, subject }.`,
      { cause },
    )
  }
}
