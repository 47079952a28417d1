import { type InputRequest, MAX_OPEN_INPUT_REQUESTS } from '../protocol/inputRequest.js'
import { isEqual } from '../protocol/isEqual.js'

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

/** The input requests of a task, or of a call that is none yet, by key. */
export type Inputs = ReadonlyMap<string, InputState>

export const NO_INPUTS: Inputs = new Map()

/** What a snapshot asks, beside what is known. */
export interface AskedInputs {
  readonly inputRequests: Readonly<Record<string, InputRequest>>
  /** The keys that are new. */
  readonly added: readonly string[]
  /** True if a key that is known asks something else now: the server broke the specification. */
  readonly hasChanged: boolean
}

/**
 * Takes over what a snapshot asks. Keys that have been answered, here or in another page, are not asked again, and no
 * more are open at once than a page can show.
 */
export function takeAsked(
  known: Readonly<Record<string, InputRequest>>,
  asked: Readonly<Record<string, InputRequest>>,
  answered: readonly string[],
): AskedInputs {
  const taken: [string, InputRequest][] = []
  const added: string[] = []
  const entries = Object.entries(asked)
  const done = new Set(answered)
  let open = 0
  for (const [key] of entries) if (Object.hasOwn(known, key) && !done.has(key)) open += 1
  let hasChanged = false
  for (const [key, request] of entries) {
    if (Object.hasOwn(known, key)) {
      hasChanged ||= !isEqual(known[key], request)
      taken.push([key, known[key] as InputRequest])
    } else if (!done.has(key) && open < MAX_OPEN_INPUT_REQUESTS) {
      open += 1
      added.push(key)
      taken.push([key, request])
    }
  }
  const isSame = added.length === 0 && taken.length === Object.keys(known).length
  return { inputRequests: isSame ? known : Object.fromEntries(taken), added, hasChanged }
}

/** The inputs of a page, once the record asks this and these keys are answered. The same reference where nothing is new. */
export function inputsOf(
  inputs: Inputs,
  requests: Readonly<Record<string, InputRequest>>,
  answered: readonly string[],
  isHandled: (request: InputRequest) => boolean,
): Inputs {
  const next = new Map<string, InputState>()
  const done = new Set(answered)
  let isSame = true
  for (const [key, request] of Object.entries(requests)) {
    const before = inputs.get(key)
    let state = before ?? { request, status: isHandled(request) ? ('handling' as const) : ('open' as const) }
    if (state.status !== 'answered' && done.has(key)) state = { request: state.request, status: 'answered' }
    isSame &&= state === before
    next.set(key, state)
  }
  return isSame && next.size === inputs.size ? inputs : next
}

export function withInput(inputs: Inputs, key: string, input: InputState | undefined): Inputs {
  const next = new Map(inputs)
  if (input === undefined) next.delete(key)
  else next.set(key, input)
  return next
}
