import type { RecordedEvent, RecordedObservation, RecordedStep, ShownState } from './recording.js'

type Words = Pick<RecordedStep, 'in' | 'text' | 'set'>

const words = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(', ')

/** Puts the events of one tab into words, in their order. */
export function createWords(): { of(event: RecordedEvent): Words } {
  /** What each exchange asked for. */
  const asked = new Map<number, string>()
  const shown = new Map<string, ShownState>()

  function ofCall({ type, callId, tool, ...more }: RecordedObservation): Words {
    const call = words(tool, shown.get(callId)?.key)
    const said = ['reason', 'status', 'kind', 'phase', 'inputKey'].flatMap((member) =>
      typeof more[member] === 'string' ? [more[member]] : [],
    )
    if (!type.startsWith('record-')) return { in: TAB, text: `${type.replaceAll('-', ' ')}: ${words(call, ...said)}` }
    const state = shown.get(callId)
    const what = words(call, state?.task ?? 'no task yet', state?.status)
    const set = type === 'record-failed' ? {} : { set: [callId, type === 'record-removed' ? null : what] as const }
    return { in: 'storage', text: `${type.replace('-', ' ')}: ${call}`, ...set }
  }

  return {
    of: (event) => {
      switch (event.type) {
        case 'page':
          return { in: TAB, text: `is ${event.state}` }
        case 'sent':
          asked.set(event.exchange, words(event.method, event.about))
          return { in: TAB, text: `→ ${asked.get(event.exchange)}` }
        case 'failed':
          return { in: TAB, text: `← ${asked.get(event.exchange) ?? ''}: nothing` }
        case 'answered': {
          const status = event.status === 200 ? undefined : `HTTP ${event.status}`
          const what = event.isStream ? 'a stream' : undefined
          return ofServer(words(asked.get(event.exchange), status, what), event.message)
        }
        case 'event':
          return ofServer(asked.get(event.exchange) ?? 'a message', event.message)
        case 'call':
          return ofCall(event.observation)
        case 'shows': {
          const { callId, state } = event
          if (state === null) return { in: TAB, text: 'no longer shows a call', set: [callId, null] }
          shown.set(callId, state)
          const what = textOf(state)
          return { in: TAB, text: `shows ${what}`, set: [callId, what] }
        }
      }
    },
  }
}

const TAB = 'tab1'

function textOf({ name, key, phase, network, task, message, cancelStatus, inputs = [], error }: ShownState): string {
  const state = `${words(name, key)}: ${phase}`
  const waits = inputs.length > 0 ? `asks for ${inputs.join(' and ')}` : undefined
  const cancelling = cancelStatus && `cancellation ${cancelStatus}`
  return words(state, network === 'ok' ? undefined : network, task, message, waits, cancelling, error)
}

/** What the server says, and of a task how it is from then on. */
function ofServer(about: string, message: unknown): Words {
  const { result, params, error } = Object(message) as Record<string, unknown>
  const { taskId, status } = Object(result ?? params) as { taskId?: unknown; status?: unknown }
  const failed = error === undefined ? undefined : `error ${String(Object(error)['code'])}`
  const state = typeof status === 'string' ? status : undefined
  const text = `→ Tab 1: ${words(about, failed, state)}`
  const isTask = typeof taskId === 'string' && state !== undefined
  return { in: 'server', text, ...(isTask && { set: [taskId, `${taskId}: ${state}`] as const }) }
}
