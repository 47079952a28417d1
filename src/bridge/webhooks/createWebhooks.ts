import { Webhook } from 'standardwebhooks'
import { checkMembers, type NamesOf } from '../../core/client/checkNames.js'
import { mustBe } from '../../core/client/mustBe.js'
import { asError } from '../../core/protocol/asError.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { SettledToolCall } from '../../core/record/toolCallState.js'
import type { DueDelivery } from '../delivery/delivery.js'
import {
  checkDeliveryOptions,
  type Deliveries,
  type DeliveryOptions,
  deliveryEnvironment,
  reporterOf,
} from '../delivery/deliveryOptions.js'
import { createOutbox } from '../delivery/outbox.js'
import { inLimit, post } from '../delivery/post.js'
import { LONGEST_DELAY_MS } from '../delivery/retryDelay.js'
import type { Attempt } from '../delivery/sending.js'
import type { DeliveryEnvironment } from '../delivery/shelf.js'

/** The receiver of webhooks. */
export interface WebhookEndpoint {
  /** An `https:` URL, or `http:` in your own network, without a user name or a password. Redirects are not followed. */
  url: string
  /**
   * The secret that the receiver verifies signatures with: `whsec_` and base64. To change it, pass the old and the new
   * secret for a while: each webhook is then signed with both.
   */
  secret: string | readonly string[]
}

/** The default body of a webhook. */
export interface WebhookBody {
  type: 'tool_call.completed' | 'tool_call.failed' | 'tool_call.cancelled'
  /** When the call ended, as an ISO 8601 time. */
  timestamp: string
  data: unknown
}

/** Options of {@link createWebhooks}. */
export interface WebhooksOptions extends DeliveryOptions {
  /**
   * The receiver, or a function that returns the receiver for a user. The function is called before each attempt; if it
   * returns undefined, the webhook is not sent. If your users can enter the URL, check that it does not lead into your own
   * network.
   */
  endpoint: WebhookEndpoint | ((userId: string) => WebhookEndpoint | undefined | Promise<WebhookEndpoint | undefined>)
  /**
   * Returns the body, a JSON value or a promise of one, or `undefined` to send nothing. Called once, when the call has ended: each attempt
   * sends the same body. A body that is not there within 20 seconds is reported, and nothing is sent.
   * @default a {@link WebhookBody} with the ids of the user and the call, the tool, the key, the `meta` and the times of
   * the call; without task id, arguments and result
   */
  body?: (call: SettledToolCall, userId: string) => unknown
  /** Distinguishes several endpoints in one storage: call `createWebhooks` for each, with a different name, but not `push`. @default 'webhooks' */
  name?: string
}

const OPTIONS: NamesOf<WebhooksOptions> = {
  endpoint: true,
  storage: true,
  body: true,
  name: true,
  filter: true,
  onError: true,
  environment: true,
}

/** The name of what createPush keeps, which may be in the same storage. */
const PUSH = 'push'

const NO_URL = { protocol: '', username: '', password: '' }

/** Messages are of use until the last attempt, which comes after three days and four hours, or a day later if the receiver says so. */
const LIMIT_MS = 6 * LONGEST_DELAY_MS

/**
 * Sends a signed webhook when a call has ended, as [Standard Webhooks](https://www.standardwebhooks.com) describes it. It
 * makes up to ten attempts, until the receiver accepts the webhook with a 2xx or refuses it for good with a 410. The header
 * `webhook-id` is the same in each attempt, so a receiver can ignore repetitions. A webhook is stored before it is sent: if
 * a process is killed, the next one sends its webhooks.
 *
 * @throws {TaskConfigurationError} if an option cannot be used.
 *
 * @example
 * ```ts
 * const storage = fileStorage('.taskwire')
 * const webhooks = createWebhooks({
 *   storage,
 *   endpoint: { url: 'https://example.com/hooks/calls', secret: process.env['WEBHOOK_SECRET'] ?? '' },
 *   onError: (error) => console.error(error),
 * })
 * const pool = createClientPool({
 *   create: () => ({ url: 'https://mcp.example.com/mcp', storage }),
 *   onCreate: webhooks.watch,
 * })
 * await webhooks.resume(pool.get)
 * ```
 */
export function createWebhooks(options: WebhooksOptions): Deliveries {
  checkOptions(options)
  const { endpoint, body = bodyOf, name = 'webhooks', filter = () => true, onError } = options
  const environment = deliveryEnvironment(options.environment)
  const report = reporterOf(onError, environment)
  const endpointOf = typeof endpoint === 'function' ? endpoint : () => endpoint
  const { watch, resume, forget, close } = createOutbox({
    name,
    storage: options.storage,
    environment,
    limitMs: LIMIT_MS,
    report,
    payloadOf: async (call, userId) =>
      filter(call, userId) === true ? JSON.stringify(await body(call, userId)) : undefined,
    attempt: async (delivery, signal) => {
      try {
        return await attempt(delivery, signal, endpointOf, environment)
      } catch (thrown) {
        const error = asError(thrown)
        if (!signal.aborted) report(error, delivery.userId)
        return { outcome: 'again', error }
      }
    },
  })
  return { watch, resume, forgetUser: forget, close }
}

/** Rejects if the app's `endpoint` fails for the user, or returns one that no webhook can be sent to. */
async function attempt(
  { id, userId, payload }: DueDelivery,
  signal: AbortSignal,
  endpointOf: Exclude<WebhooksOptions['endpoint'], WebhookEndpoint>,
  environment: DeliveryEnvironment,
): Promise<Attempt> {
  const endpoint = await inLimit('the receiver was not found out', endpointOf(userId), environment, signal)
  if (endpoint === undefined) return { outcome: 'taken' }
  const signers = signersOf(endpoint)
  const now = environment.now()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(now / 1000)}`,
    'webhook-signature': signers.map((signer) => signer.sign(id, new Date(now), payload)).join(' '),
  }
  return post(endpoint.url, { headers, body: payload }, [410], environment, signal)
}

function bodyOf(call: SettledToolCall, userId: string): WebhookBody {
  const { callId, name, key, meta, phase, startedAt, endedAt, result, error } = call
  return {
    type: `tool_call.${phase}`,
    timestamp: new Date(endedAt).toISOString(),
    data: {
      userId,
      callId,
      name,
      key,
      meta,
      startedAt: new Date(startedAt).toISOString(),
      endedAt: new Date(endedAt).toISOString(),
      isError: result && result.isError === true,
      error: error?.name,
    },
  }
}

function checkOptions(options: WebhooksOptions): void {
  checkMembers(Object(options), OPTIONS)
  checkDeliveryOptions('createWebhooks', Object(options))
  const { endpoint, body, name } = options
  if (body !== undefined && typeof body !== 'function') throw mustBe('body', body, 'a function')
  if (name !== undefined && !/^[\w-]+$/.test(String(name)))
    throw mustBe('name', name, 'a text of letters, digits, - and _')
  if (name === PUSH) throw mustBe('name', name, `another text: messages of createPush are kept under '${PUSH}'`)
  if (typeof endpoint === 'function') return
  signersOf(endpoint)
}

/**
 * What signs the webhooks of an endpoint.
 *
 * @throws {TaskConfigurationError} if nothing can be sent to this endpoint, or nothing would be signed. It does not show what may be secret.
 */
function signersOf(endpoint: WebhookEndpoint): Webhook[] {
  const { url, secret } = Object(endpoint) as Partial<WebhookEndpoint>
  const { protocol, username, password } = typeof url === 'string' && URL.canParse(url) ? new URL(url) : NO_URL
  if (username !== '' || password !== '')
    throw new TaskConfigurationError(
      'endpoint.url has a user name or a password, with which no request can be sent. Leave them out: the receiver verifies the signature.',
    )
  if (!/^https?:$/.test(protocol)) throw mustBe('endpoint.url', url, 'an https: or http: URL')
  if (secret === undefined || secret.length === 0)
    throw new TaskConfigurationError(
      "endpoint.secret is missing. Make one with `'whsec_' + randomBytes(24).toString('base64')` of node:crypto, and give it to the receiver.",
    )
  try {
    return (typeof secret === 'string' ? [secret] : secret).map((each) => new Webhook(each))
  } catch (cause) {
    throw new TaskConfigurationError('endpoint.secret cannot be read: it must be `whsec_` and base64.', { cause })
  }
}
