import { checkMembers, type NamesOf } from '../../core/client/checkNames.js'
import { inDevelopment } from '../../core/environment/inDevelopment.js'
import { formProblems } from '../../core/protocol/formProblems.js'
import type { InputResponse } from '../../core/protocol/inputRequest.js'
import { hash } from '../../core/record/hash.js'
import { askedBy } from './asked.js'
import { createDraft } from './drafts.js'
import type { ElicitationField, ElicitationValue } from './elicitationFields.js'
import type { ElicitationForm, ElicitationFormOptions, ElicitationSource } from './elicitationForm.js'
import { focusWrong } from './focusWrong.js'
import { createFormStore } from './formStore.js'
import type { FieldSpec } from './parseFields.js'
import type { FormFacts } from './showForm.js'
import { contentOf, fieldValue } from './values.js'
import { createWords } from './words.js'

const OPTIONS: NamesOf<ElicitationFormOptions> = { words: true, drafts: true, id: true }

/**
 * Creates a form for an input request: its fields, their values and errors, and the state of the response. It has no user
 * interface and needs no framework: read it like a store, with `getState()` and `subscribe()`. You need not close it.
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
  inDevelopment?.(() => checkMembers(options, OPTIONS))
  const { client, callId, inputKey, request } = source
  const words = createWords(options.words)
  const asked = askedBy(request, words)
  const { schema, specs } = asked
  const draft = createDraft(options.drafts, `taskwire:draft:${hash(JSON.stringify([callId, inputKey, request]))}`)
  const values = startingValues(specs, draft.read())
  const mended = new Map<string, Error | undefined>()
  const id = options.id ?? `form-${hash(JSON.stringify([callId, inputKey]))}`
  const { getState, subscribe, facts, update, follow, unfollow } = createFormStore(
    source,
    { asked, words, id, values, mended, isAttempted: false, answer: 'none', failure: undefined, passedOver: undefined },
    forgetDraft,
  )

  function forgetDraft(): void {
    draft.remove()
    unfollow()
  }

  async function send(response: InputResponse, taken: FormFacts['answer']): Promise<void> {
    const handle = client.getToolCall(callId)
    if (handle === undefined) return update()
    update({ answer: 'sending', failure: undefined, passedOver: undefined })
    try {
      await handle.respond(inputKey, response)
    } catch (error) {
      return update({ answer: 'none', failure: error instanceof Error ? error : new Error(String(error)) })
    }
    forgetDraft()
    update({ answer: taken })
  }

  function set(name: string, value: unknown): void {
    const spec = specs.find((one) => one.name === name)
    if (spec === undefined || !getState().isEditable) return
    values.set(name, fieldValue(spec, value))
    mended.set(name, facts().failure)
    draft.write(values)
    update()
    // A draft is removed once no answer is needed, also if no component shows its form.
    if (options.drafts !== undefined) follow()
  }

  async function submit(): Promise<ElicitationField | undefined> {
    if (!getState().isEditable || asked.obstacle !== '') return undefined
    update({ isAttempted: true, passedOver: facts().failure })
    const content = contentOf(specs, values)
    if (formProblems(schema, content).length === 0) {
      await send(asked.kind === 'url' ? { action: 'accept' } : { action: 'accept', content }, 'accepted')
    }
    return getState().fields.find(({ kind, error }) => error !== undefined && kind !== 'unsupported')
  }

  return {
    getState,
    subscribe,
    set,
    toggle: (name, option) => {
      const chosen: unknown = values.get(name)
      if (!Array.isArray(chosen)) return
      set(name, chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option])
    },
    submit,
    onSubmit: async (event) => {
      event.preventDefault()
      // An event loses it when it is over.
      const { currentTarget } = event
      // A form that shows no address must not consent to one.
      const wrong = getState().canSubmit ? await submit() : undefined
      if (getState().isEditable) focusWrong(currentTarget, wrong)
    },
    onOpen: async ({ button }) => {
      if (button < 2) await submit()
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
