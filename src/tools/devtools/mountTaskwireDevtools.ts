import type { CallObservation } from '../../core/client/observe/events.js'
import type { DevtoolsTheme, TaskwireDevtoolsOptions } from './devtoolsOptions.js'
import { createEarlierLog, removeEarlierLog } from './earlierLog.js'
import { createFrames } from './frames.js'
import type { DevtoolsModel, ObservedClient } from './model/devtoolsModel.js'
import { createObservationLog } from './model/observationLog.js'
import { callsOf, type RecordedCall, readRecording } from './recording/recording.js'
import { recordReplay } from './recording/recordReplay.js'
import { createRecordReader } from './recordReader.js'
import { createShell } from './shell.js'

/** A mounted panel. */
export interface TaskwireDevtools {
  setTheme(theme: DevtoolsTheme): void
  /** Removes the panel from the page and stops observing. */
  unmount(): void
}

/**
 * Shows what task clients do: calls, with the reason for each of their polls, messages, records, and buttons that break
 * things. For development only: load it conditionally, so that production bundles leave it out. It does nothing where there is
 * no page, as on a server.
 *
 * @example
 * ```ts
 * if (import.meta.env.DEV) {
 *   void import('taskwire/devtools').then(({ mountTaskwireDevtools }) => mountTaskwireDevtools(client))
 * }
 * ```
 */
export function mountTaskwireDevtools(
  clients: ObservedClient | readonly ObservedClient[],
  options: TaskwireDevtoolsOptions = {},
): TaskwireDevtools {
  if (typeof document === 'undefined') return { setTheme: () => {}, unmount: () => {} }
  const all = 'store' in clients ? [clients] : [...clients]
  const { faults } = options
  const start = { isOnline: navigator.onLine, isVisible: document.visibilityState !== 'hidden' }
  const log = createObservationLog()
  const earlier = options.keepLog === false ? removeEarlierLog() : createEarlierLog()
  const beforeReload = new WeakSet<CallObservation>()
  for (const { client, observation, isEarlier } of earlier?.read() ?? []) {
    log.add(client, observation)
    if (isEarlier) beforeReload.add(observation)
  }
  const isEarlier = (observation: CallObservation) => beforeReload.has(observation)
  const keep = () => earlier?.write(log.ofCalls().map((one) => ({ ...one, isEarlier: isEarlier(one.observation) })))
  addEventListener('pagehide', keep)
  const frames = createFrames(draw)
  const recorders = all.map((client) => recordReplay(client))
  const recordings = recorders.map(({ file }) => file)
  const records = createRecordReader(options.storage, frames.request)
  let loaded: readonly RecordedCall[] = []
  let files = 0
  const shell = createShell(options, {
    onChange: frames.request,
    onClear: () => {
      log.clear()
      loaded = []
      frames.request()
    },
    onLoad: (text) => {
      const read = readRecording(text)
      if (typeof read === 'string') return read
      loaded = [...callsOf(read, text, ++files), ...loaded]
      frames.request()
      return undefined
    },
  })

  function draw(): boolean {
    if (!shell.isOpen()) return false
    const model: DevtoolsModel = {
      now: Date.now(),
      clients: all,
      log,
      loaded,
      start,
      isEarlier,
      recordings,
      faults,
      items: records.items(),
    }
    shell.panel.update(model)
    return all.some(isAtWork)
  }

  const unsubscribe = all.flatMap((client, index) => [
    client.observe(
      (observation) => {
        log.add(index, observation)
        if (/^record|^call-settled/.test(observation.type)) records.refresh()
        frames.request()
      },
      { wire: true },
    ),
    client.store.subscribe(frames.request),
  ])
  if (faults) unsubscribe.push(faults.subscribe(frames.request))
  records.refresh()
  frames.request()

  return {
    setTheme: shell.setTheme,
    unmount: () => {
      keep()
      removeEventListener('pagehide', keep)
      for (const stop of unsubscribe) stop()
      for (const { stop } of recorders) stop()
      records.stop()
      frames.stop()
      shell.remove()
    },
  }
}

function isAtWork({ store }: ObservedClient): boolean {
  return Object.values(store.getState().calls).some(({ endedAt }) => endedAt === undefined)
}
