import type { InputResponseState } from '../call/toolCallState.js'
import { formProblems } from '../protocol/formProblems.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { hash } from '../storage/hash.js'
import { askedBy } from './asked.js'
import { createDraft } from './drafts.js'
import type { ElicitationValue } from './elicitationFields.js'
import type {
  ElicitationForm,
  ElicitationFormOptions,
  ElicitationFormState,
  ElicitationSource,
} from './elicitationForm.js'
import type { FieldSpec } from './parseFields.js'
import { type FormFacts, showForm } from './showForm.js'
import { contentOf, fieldValue } from './values.js'
import { createWords } from './words.js'

/**
 * A form for an input request: its fields, what is filled in, what is wrong with it, and how its answer fares. It has no
 * user interface and needs no framework: `getState()` and `subscribe()` are those of a store. There is nothing to close.
 *
 * @example
 * ```ts
 * const form = createElicitationForm(pending)
 * form.subscribe(({ statusText, problem }) => show(problem || statusText))
 * form.set('reason', 'Fixes the login')
 * const wrong = await form.submit()
 * if (wrong !== undefined) document.getElementById(wrong.id)?.focus()
 * ```
 */
export function createElicitationForm(
  source: ElicitationSource,
  options: ElicitationFormOptions = {},
): ElicitationForm {
  const { client, callId, inputKey, request } = source
  const words = createWords(options.words)
  const asked = askedBy(request, words)
  const { schema, specs } = asked
  const draft = createDraft(options.drafts, `taskwire:draft:${hash(JSON.stringify([callId, inputKey, request]))}`)
  const values = startingValues(specs, draft.read())
  const changed = new Set<string>()
  const touched = new Set<string>()
  const mended = new Map<string, Error | undefined>()
  const listeners = new Set<Parameters<ElicitationForm['subscribe']>[0]>()

  let call = client.getToolCallState(callId)
  // As the store has it: a framework may have wrapped the request that it was given.
  const listed = memberOf(call?.inputRequests, inputKey)
  let own: Pick<FormFacts, 'isAttempted' | 'answer' | 'failure'> = {
    isAttempted: false,
    answer: 'none',
    failure: undefined,
  }

  let state = showForm(facts())
  /** What the listeners have seen. */
  let announced = state
  let stop: (() => void) | undefined

  function facts(): FormFacts {
    const id = options.id ?? `form-${hash(JSON.stringify([callId, inputKey]))}`
    const response = memberOf(call?.inputResponses, inputKey)
    const failure = failureOf(response) ?? own.failure
    const isListed = listed !== undefined && memberOf(call?.inputRequests, inputKey) === listed
    return { ...own, asked, words, id, values, touched, mended, isListed, response, failure }
  }

  function getState(): ElicitationFormState {
    const now = client.getToolCallState(callId)
    if (now !== call) {
      call = now
      state = showForm(facts(), state)
    }
    return state
  }

  /** Calls the listeners if something has changed. */
  function announce(): void {
    const previous = announced
    announced = getState()
    if (announced !== previous) for (const listener of [...listeners]) listener(announced, previous)
  }

  function update(change: Partial<typeof own> = {}): void {
    own = { ...own, ...change }
    call = client.getToolCallState(callId)
    state = showForm(facts(), state)
    announce()
  }

  async function send(response: InputResponse, taken: FormFacts['answer']): Promise<void> {
    const handle = client.getToolCall(callId)
    if (handle === undefined) return update()
    update({ answer: 'sending', failure: undefined })
    try {
      await handle.respond(inputKey, response)
      draft.remove()
      update({ answer: taken })
    } catch (error) {
      update({ answer: 'none', failure: error instanceof Error ? error : new Error(String(error)) })
    }
  }

  function set(name: string, value: unknown): void {
    const spec = specs.find((one) => one.name === name)
    if (spec === undefined || !getState().isEditable) return
    values.set(name, fieldValue(spec, value))
    changed.add(name)
    mended.set(name, facts().failure)
    draft.write(values)
    update()
  }

  return {
    getState,
    subscribe: (listener) => {
      if (listeners.size === 0) {
        announced = getState()
        stop = client.subscribeToolCall(callId, announce)
      }
      listeners.add(listener)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop?.()
      }
    },
    set,
    toggle: (name, option) => {
      const chosen: unknown = values.get(name)
      if (!Array.isArray(chosen)) return
      set(name, chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option])
    },
    touch: (name) => {
      if (!changed.has(name) || touched.has(name)) return
      touched.add(name)
      update()
    },
    submit: async () => {
      if (!getState().canSubmit) return undefined
      own = { ...own, isAttempted: true }
      const content = contentOf(specs, values)
      if (formProblems(schema, content).length > 0) update()
      else await send(asked.kind === 'url' ? { action: 'accept' } : { action: 'accept', content }, 'accepted')
      return state.fields.find(({ kind, error }) => error !== undefined && kind !== 'unsupported')
    },
    decline: async () => {
      if (getState().isEditable) await send({ action: 'decline' }, 'declined')
    },
    cancel: async () => {
      if (getState().isEditable) await send({ action: 'cancel' }, 'cancelled')
    },
  }
}

/** What was typed before, and the defaults of the schema. */
function startingValues(
  specs: readonly FieldSpec[],
  drafted: ReadonlyMap<string, unknown>,
): Map<string, ElicitationValue> {
  return new Map(
    specs.map((spec) => [spec.name, fieldValue(spec, drafted.has(spec.name) ? drafted.get(spec.name) : spec.initial)]),
  )
}

/** The member of an object with names that a server chose. */
function memberOf<T>(members: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined
}

function failureOf(response: InputResponseState | undefined): Error | undefined {
  return response?.status === 'rejected' ? response.error : undefined
}
