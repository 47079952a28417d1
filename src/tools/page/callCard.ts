import type { ElicitationSource } from '../../bindings/forms/elicitationForm.js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { isSettled, type ToolCallState } from '../../core/record/toolCallState.js'
import { button, create, say, words } from './elements.js'
import { type ShownInputRequest, showInputRequest } from './showInputRequest.js'
import { showResult } from './showResult.js'
import { statusOf, toneOf, waitOf } from './words.js'

/** A call on the page. */
export interface CallCard {
  readonly element: Element
  update(state: ToolCallState): void
  /** Shows how long it takes. */
  tick(): void
  remove(): void
}

/** Shows a call: where it stands, what it asks, its outcome, and what can be done about it. */
export function createCallCard(client: TaskClient, first: ToolCallState): CallCard {
  const { callId, name } = first
  const status = create('span', { class: 'status' })
  const time = create('span', { class: 'muted' })
  const bar = create('progress', { 'aria-label': `Progress of ${name}` })
  const message = create('p', { class: 'message' })
  const problem = create('p', { class: 'error' })
  const asks = create('div')
  const result = create('div', { class: 'result' })
  const cancel = button('Cancel', () => client.getToolCall(callId)?.cancel())
  const remove = button('Remove', () => client.forget({ callId }))
  for (const each of [cancel, remove]) each.setAttribute('aria-label', `${each.textContent} ${name}`)
  const head = create('div', { class: 'head' }, create('h3', {}, ...words(name)), status, time)
  const actions = create('div', { class: 'actions' }, cancel, remove)
  const element = create('li', { class: 'call' }, head, bar, message, asks, problem, result, actions)
  const shown = new Map<string, ShownInputRequest>()
  let state = first
  let outcome: unknown

  function showAsked(requests: ToolCallState['inputRequests']): void {
    for (const [key, each] of shown) {
      if (key in requests) continue
      each.remove()
      shown.delete(key)
    }
    for (const [inputKey, request] of Object.entries(requests)) {
      if (shown.has(inputKey)) continue
      const source: ElicitationSource = { client, callId, inputKey, request }
      const each = showInputRequest(source)
      shown.set(inputKey, each)
      asks.append(each.element)
    }
  }

  function showOutcome(): void {
    const now = state.result ?? state.error
    if (now === outcome) return
    outcome = now
    result.replaceChildren(...(state.result ? showResult(state.result) : []))
    say(problem, state.error && state.phase === 'failed' ? state.error.message : '')
  }

  function tick(): void {
    const seconds = Math.max(0, Math.round(((state.endedAt ?? Date.now()) - state.startedAt) / 1000))
    say(
      time,
      state.phase === 'ended'
        ? ''
        : seconds < 60
          ? `${seconds} s`
          : `${Math.floor(seconds / 60)} min ${seconds % 60} s`,
    )
  }

  return {
    element,
    update(now) {
      state = now
      element.dataset['tone'] = toneOf(now)
      say(status, statusOf(now))
      const { progress } = now
      bar.hidden = now.phase !== 'calling' && now.phase !== 'working'
      if (progress?.total === undefined) bar.removeAttribute('value')
      else {
        bar.max = progress.total
        bar.value = progress.progress
      }
      say(message, isSettled(now) ? '' : waitOf(now))
      cancel.hidden = isSettled(now) || now.phase === 'ended'
      cancel.disabled = now.isCancelling
      remove.hidden = !cancel.hidden
      showAsked(now.inputRequests)
      showOutcome()
      tick()
    },
    tick,
    remove() {
      for (const each of shown.values()) each.remove()
      element.remove()
    },
  }
}
