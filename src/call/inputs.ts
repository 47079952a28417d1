import { type InputRequest, MAX_OPEN_INPUT_REQUESTS } from '../protocol/inputRequest.js'
import { isEqual } from './isEqual.js'

/**
 * An input request on its way from the snapshot that brings it to the response that the server has taken.
 *
 * ```text
 *             ┌─ handling ── a handler responds ──┐
 * asked ──────┤                                   ├─▶ sending ─▶ answered, never asked again
 *             └─ open ────── respond() ───────────┘      └─ rejected: open again, and says why
 *   withdrawn by the server: gone from the list
 * ```
 */
export interface InputState {
  readonly request: InputRequest
  readonly status: 'open' | 'handling' | 'sending' | 'rejected' | 'answered'
  /** True while the response is sent again because the server could not be reached. */
  readonly isRetrying?: boolean
  /** Why the last response was not taken. */
  readonly error?: Error
}

/** The input requests of one call, by key. */
export type Inputs = ReadonlyMap<string, InputState>

export const NO_INPUTS: Inputs = new Map()

/** What a snapshot asks, beside what is known. */
export interface ObservedInputs {
  readonly inputs: Inputs
  /** The keys that are new. */
  readonly added: readonly string[]
  /** The first key that is known and asks something else now: the server broke the specification. */
  readonly changed?: string
}

/** Takes over what a snapshot asks. Keys that have been answered, here or in another page, are not asked again. */
export function observeInputs(
  inputs: Inputs,
  asked: Readonly<Record<string, InputRequest>>,
  answered: readonly string[],
  isHandled: (request: InputRequest) => boolean,
): ObservedInputs {
  const keys = Object.keys(asked)
  const next = new Map<string, InputState>()
  const added: string[] = []
  let busy = 0
  for (const key of keys) if (isOpen(inputs.get(key))) busy += 1
  for (const key of keys) {
    const request = asked[key] as InputRequest
    const known = inputs.get(key)
    if (known !== undefined && !isEqual(known.request, request)) return { inputs, added: [], changed: key }
    if (known !== undefined) next.set(key, known)
    else if (!answered.includes(key) && busy < MAX_OPEN_INPUT_REQUESTS) {
      busy += 1
      next.set(key, { request, status: isHandled(request) ? 'handling' : 'open' })
      added.push(key)
    }
  }
  return added.length === 0 && next.size === inputs.size ? { inputs, added } : { inputs: next, added }
}

export function withInput(inputs: Inputs, key: string, input: InputState | undefined): Inputs {
  const next = new Map(inputs)
  if (input === undefined) next.delete(key)
  else next.set(key, input)
  return next
}

/** True if something is still to be done in this page: an input request is open, or a response on its way. */
export function isBusy(inputs: Inputs): boolean {
  for (const input of inputs.values()) if (isOpen(input)) return true
  return false
}

function isOpen(input: InputState | undefined): boolean {
  return input !== undefined && input.status !== 'answered'
}
