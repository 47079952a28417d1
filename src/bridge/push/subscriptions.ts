import { isJsonObject } from '../../core/protocol/json.js'
import type { TaskStorage } from '../../core/storage/taskStorage.js'
import { digest } from '../../server/base/digest.js'

/** A browser that takes messages for a user: the JSON of its `PushSubscription`. */
export interface Subscription {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** The subscriptions of all users. Methods reject where the storage does. */
export interface Subscriptions {
  add(userId: string, subscription: Subscription): Promise<void>
  remove(userId: string, endpoint: string): Promise<void>
  list(userId: string): Promise<readonly Subscription[]>
  /** Removes all browsers of a user, and what is left of those that belong to others by now. */
  clear(userId: string): Promise<void>
}

/** So many browsers of a user are kept; of more, those go that subscribed longest ago. */
const MAX_EACH = 20

/** A browser has one subscription, whoever is signed in: it belongs to the user who subscribed last. */
export function createSubscriptions(storage: TaskStorage, now: () => number): Subscriptions {
  const prefixOf = (userId: string) => `taskwire:push:${digest(userId)}:`
  const keyOf = (userId: string, endpoint: string) => prefixOf(userId) + digest(endpoint)
  const ownerKey = (endpoint: string) => `taskwire:push:owners:${digest(endpoint)}`

  async function keysOf(userId: string): Promise<readonly string[]> {
    const prefix = prefixOf(userId)
    return [...(await storage.keys(prefix))].filter((key) => key.startsWith(prefix))
  }

  async function read(userId: string) {
    const keys = await keysOf(userId)
    const found = await Promise.all(
      keys.map(async (key) => {
        const kept = parse(await storage.getItem(key))
        const isOwn = kept !== undefined && (await storage.getItem(ownerKey(kept.subscription.endpoint))) === userId
        return isOwn ? [kept] : []
      }),
    )
    return found.flat().sort((a, b) => b.at - a.at)
  }

  async function remove(userId: string, endpoint: string): Promise<void> {
    await storage.removeItem(keyOf(userId, endpoint))
    if ((await storage.getItem(ownerKey(endpoint))) === userId) await storage.removeItem(ownerKey(endpoint))
  }

  return {
    add: async (userId, { endpoint, keys: { p256dh, auth } }) => {
      const before = await storage.getItem(ownerKey(endpoint))
      await storage.setItem(ownerKey(endpoint), userId)
      if (typeof before === 'string' && before !== userId) await storage.removeItem(keyOf(before, endpoint))
      const kept = { v: 1, at: now(), subscription: { endpoint, keys: { p256dh, auth } } }
      await storage.setItem(keyOf(userId, endpoint), JSON.stringify(kept))
      for (const { subscription } of (await read(userId)).slice(MAX_EACH)) await remove(userId, subscription.endpoint)
    },
    remove,
    clear: async (userId) => {
      for (const { subscription } of await read(userId)) await remove(userId, subscription.endpoint)
      for (const key of await keysOf(userId)) await storage.removeItem(key)
    },
    list: async (userId) => (await read(userId)).map(({ subscription }) => subscription),
  }
}

function parse(text: string | null | undefined): { at: number; subscription: Subscription } | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const { v, at, subscription }: { v?: unknown; at?: unknown; subscription?: unknown } = Object(JSON.parse(text))
    const read = readSubscription(subscription)
    return v === 1 && typeof at === 'number' && read !== undefined ? { at, subscription: read } : undefined
  } catch {
    return undefined
  }
}

/** The subscription that a page has sent, or undefined where it is none. */
export function readSubscription(given: unknown): Subscription | undefined {
  if (!isJsonObject(given)) return undefined
  const { endpoint, keys } = given
  if (typeof endpoint !== 'string' || endpoint.length > 2048 || !URL.canParse(endpoint)) return undefined
  // No request can be sent to such a URL.
  const { username, password } = new URL(endpoint)
  if (username !== '' || password !== '') return undefined
  if (!isJsonObject(keys)) return undefined
  const { p256dh, auth } = keys
  return isKey(p256dh, 65) && isKey(auth, 16) ? { endpoint, keys: { p256dh, auth } } : undefined
}

/** True for so many bytes in base64url. */
function isKey(value: unknown, bytes: number): value is string {
  return (
    typeof value === 'string' &&
    /^[\w-]+={0,2}$/.test(value) &&
    value.replace(/=+$/, '').length === Math.ceil((bytes * 4) / 3)
  )
}

/** The hosts of Chrome, Edge, Firefox and Safari, and those below them. */
const SERVICES = ['fcm.googleapis.com', 'push.services.mozilla.com', 'notify.windows.com', 'push.apple.com'] as const

/** True for the push services of browsers. A page that could name any host would have the backend send requests there. */
export function isKnownService({ protocol, hostname, port }: URL): boolean {
  const isKnown = SERVICES.some((service) => hostname === service || hostname.endsWith(`.${service}`))
  return isKnown && protocol === 'https:' && port === ''
}
