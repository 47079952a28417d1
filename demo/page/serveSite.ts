import { ConnectionBrokenError } from '../server/killableServer.js'
import { SharedMemoryStore } from '../server/sharedMemoryStore.js'
import { createDemoSite, type DemoSite, type DemoSiteOptions, isServed } from '../server/site.js'
import { openIndexedDbTaskStore } from './indexedDbTaskStore.js'
import { CLAIM } from './messages.js'

/** What is used of the global scope of a service worker, which the types of pages do not know. */
interface ServiceWorkerScope {
  readonly registration: { readonly scope: string }
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void
  addEventListener(type: 'message', listener: (event: ExtendableEvent & { readonly data: unknown }) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
}

interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

/** What a service worker serves. */
export interface ServedSite {
  /** The beginning of the names of its database and channel. */
  readonly name: string
  /** Makes the MCP server, by the folder that the service worker serves. @default the one of the demo */
  createServer?(base: URL): DemoSiteOptions['createServer']
}

/** Makes this service worker the MCP server of the pages in its scope. */
export function serveSite({ name, createServer }: ServedSite): void {
  const scope = self as unknown as ServiceWorkerScope
  const base = new URL(scope.registration.scope)
  let opening: Promise<DemoSite> | undefined

  /** Browsers stop a service worker that has nothing to do. The next one finds its tasks in the store. */
  function open(): Promise<DemoSite> {
    const create = createServer?.(base)
    opening ??= openStore(`${name} ${base.pathname}`).then((store) =>
      createDemoSite({ store, ...(create && { createServer: create }) }),
    )
    return opening
  }

  async function respond(path: string, request: Request): Promise<Response> {
    try {
      return await (await open()).fetch(path, request)
    } catch (error) {
      if (error instanceof ConnectionBrokenError) return Response.error()
      throw error
    }
  }

  scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
  scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))

  scope.addEventListener('message', (event) => {
    // All other messages are there to keep the worker awake, and so is the server: it may have work to go on with.
    event.waitUntil(event.data === CLAIM ? scope.clients.claim() : open())
  })

  scope.addEventListener('fetch', (event) => {
    const { origin, pathname } = new URL(event.request.url)
    if (origin !== base.origin || !pathname.startsWith(base.pathname)) return
    const path = pathname.slice(base.pathname.length)
    if (isServed(path)) event.respondWith(respond(path, event.request))
  })
}

async function openStore(name: string) {
  try {
    const store = await openIndexedDbTaskStore(name)
    await store.expire(Date.now())
    return store
  } catch {
    // A private window may have none: tasks live as long as the worker, then.
    return new SharedMemoryStore()
  }
}
