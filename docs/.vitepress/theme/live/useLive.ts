import { withBase } from 'vitepress'
import { computed, onBeforeUnmount, ref, shallowRef } from 'vue'
import { CLIENT_EVENT, type LiveClient } from '../../../live/frame/liveClient.ts'
import { addToWire, EMPTY_WIRE, sentOf } from '../../../live/host/wireRows.ts'

/**
 * The frames of a live example: what they do, and what is done to them.
 *
 * @param name of the example
 * @param part of it that is shown, where it has several
 */
export function useLive(name: string, part?: string) {
  const src = withBase(`/live/frames/${name}/index.html${part === undefined ? '' : `?part=${part}`}`)
  const frames: (HTMLIFrameElement | undefined)[] = []
  const clients = shallowRef<readonly (LiveClient | undefined)[]>([])
  const wire = shallowRef(EMPTY_WIRE)
  const isOffline = ref(false)
  const isRestarting = ref(false)
  const loads = [0, 0]
  const unsubscribes: ((() => void) | undefined)[] = []

  /** Frames tell of their clients at their element: Vue would hear of it too late. */
  function watch(tab: number, element: unknown): void {
    const frame = element instanceof HTMLIFrameElement ? element : undefined
    if (frame === frames[tab]) return
    frames[tab] = frame
    if (frame === undefined) return forget(tab)
    frame.addEventListener(CLIENT_EVENT, (event) => welcome(tab, (event as CustomEvent<LiveClient>).detail))
    frame.src = src
  }

  function welcome(tab: number, live: LiveClient): void {
    const load = (loads[tab] ?? 0) + 1
    loads[tab] = load
    fitToPage(frames[tab])
    if (isOffline.value) live.faults.set('offline', true)
    unsubscribes[tab] = live.client.observe(
      (observation) => {
        wire.value = addToWire(wire.value, observation, { tab: tab + 1, load })
      },
      { wire: true },
    )
    setClient(tab, live)
  }

  /** The second tab may be there before the first. */
  function setClient(tab: number, live: LiveClient | undefined): void {
    const next = [...clients.value]
    next[tab] = live
    clients.value = next
  }

  function forget(tab: number): void {
    // What a page that is gone has made cannot be used any more.
    unsubscribes[tab] = undefined
    setClient(tab, undefined)
  }

  function reload(): void {
    forget(0)
    frames[0]?.contentWindow?.location.reload()
  }

  function setOffline(isOn: boolean): void {
    isOffline.value = isOn
    for (const live of clients.value) live?.faults.set('offline', isOn)
  }

  async function restart(): Promise<void> {
    isRestarting.value = true
    // From the frame, whose requests the service worker sees.
    await frames[0]?.contentWindow?.fetch(new URL('__server/restart', new URL(src, location.href)), { method: 'POST' })
    setTimeout(() => (isRestarting.value = false), RESTART_MS)
  }

  onBeforeUnmount(() => {
    for (const unsubscribe of unsubscribes) unsubscribe?.()
  })

  return {
    watch,
    reload,
    setOffline,
    restart,
    clients,
    rows: computed(() => wire.value.rows),
    isOffline,
    isRestarting,
    frameOf: (tab: number) => frames[tab],
    calls: computed(() => sentOf(wire.value, 'tools/call')),
    polls: computed(() => sentOf(wire.value, 'tasks/get')),
  }
}

/** Makes a frame as high as its page, where that is higher than the frame is by its styles, so that no part of it is cut off. */
function fitToPage(frame: HTMLIFrameElement | undefined): void {
  const page = frame?.contentDocument?.documentElement
  if (frame === undefined || page === undefined) return
  // The observer ends with the page that it observes.
  const observer = new ResizeObserver(() => (frame.style.minHeight = `${page.offsetHeight + 2 * BORDER_PX}px`))
  observer.observe(page)
}

/** Of the frames, in live.css. */
const BORDER_PX = 1

/** How long the server is away, in ms: `RESTART_MS` of the demo's server. */
const RESTART_MS = 2000
