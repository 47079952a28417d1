import { CLAIM, STAY_AWAKE } from './messages.js'

/** What keeps the demo from having its server, in words for the visitor. */
export class ServerUnavailableError extends Error {
  override readonly name = 'ServerUnavailableError'
}

/** How long to wait for the service worker before the page is loaded again, in ms. */
const PATIENCE_MS = 10_000

/** Service workers are stopped after half a minute without anything to do. */
const STAY_AWAKE_MS = 10_000

/** Set while the page loads again because nothing served it. */
const RELOADED = 'taskwire-demo reloaded'

/**
 * Starts the service worker that is the MCP server, and resolves once it answers the requests of this page.
 *
 * @param script the file of the service worker
 * @param scope the folder of the pages that it serves. @default that of the file
 * @throws {ServerUnavailableError} where the browser has none, and says why.
 */
export async function startServer(script = 'server.js', scope?: string): Promise<void> {
  const container = containerOf(navigator)
  const options: RegistrationOptions = { updateViaCache: 'none', ...(scope !== undefined && { scope }) }
  await container.register(script, options).catch((error: unknown) => {
    throw new ServerUnavailableError(
      `The browser did not start the service worker that is the server of this demo: ${String(error)} Allow this site to store data, or try another browser.`,
    )
  })
  const { active } = await container.ready
  if (container.controller === null && !(await isClaimed(container, active))) await reloadOnce()
  sessionStorage.removeItem(RELOADED)
  keepAwake(container)
}

function containerOf({ serviceWorker }: Navigator): ServiceWorkerContainer {
  // Typed as always there.
  if ((serviceWorker as ServiceWorkerContainer | undefined) !== undefined) return serviceWorker
  throw new ServerUnavailableError(
    isSecureContext
      ? 'The server of this demo is a service worker, and this window cannot run one, like private windows of some browsers. Open the page in a normal window.'
      : 'The server of this demo is a service worker, and browsers do not allow one here. Open the page over https, or on localhost.',
  )
}

/** A page that was loaded past the service worker (shift and reload) has to be taken over by it, as on a first visit. */
async function isClaimed(container: ServiceWorkerContainer, active: ServiceWorker | null): Promise<boolean> {
  const isControlled = new Promise<boolean>((resolve) => {
    container.addEventListener('controllerchange', () => resolve(true), { once: true })
    setTimeout(resolve, PATIENCE_MS, false)
  })
  active?.postMessage(CLAIM)
  return isControlled
}

/** Never resolves. */
function reloadOnce(): Promise<never> {
  if (sessionStorage.getItem(RELOADED) !== null) {
    throw new ServerUnavailableError(
      'The service worker that is the server of this demo does not answer this page. Close all tabs of the demo and open it again.',
    )
  }
  sessionStorage.setItem(RELOADED, 'yes')
  location.reload()
  return new Promise(() => {})
}

/** Timers of hidden pages come late, those of a worker do not. */
function keepAwake(container: ServiceWorkerContainer): void {
  const script = new Blob([`setInterval(postMessage, ${STAY_AWAKE_MS}, 0)`], { type: 'text/javascript' })
  const timer = new Worker(URL.createObjectURL(script))
  const stayAwake = () => container.controller?.postMessage(STAY_AWAKE)
  timer.onmessage = stayAwake
  stayAwake()
}
