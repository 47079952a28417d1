import type { ElicitationSource } from '../../bindings/forms/elicitationForm.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { create, say } from './elements.js'

/** A completion that a server asks for. There is no model here, so a person writes in its place. */
export function showSampling({ client, callId, inputKey, request }: ElicitationSource): {
  element: Element
  remove: () => void
} {
  const id = `completion-${callId}-${inputKey}`
  const field = create('textarea', { id, rows: 3, required: true })
  const group = create(
    'fieldset',
    {},
    create('legend', {}, 'The server asks for a completion by a model'),
    create('pre', { tabindex: 0 }, textOf(request.params)),
    create(
      'div',
      { class: 'field' },
      create('label', { for: id }, 'This page has no model. Write the completion:'),
      field,
    ),
    create('div', { class: 'actions' }, create('button', { type: 'submit', class: 'primary' }, 'Submit')),
  )
  const problem = create('p', { role: 'alert', hidden: true })
  const element = create('form', { class: 'asks' }, group, problem)

  async function send(): Promise<void> {
    group.disabled = true
    const content = { type: 'text', text: field.value }
    try {
      await client.getToolCall(callId)?.respond(inputKey, { role: 'assistant', model: 'a person', content })
    } catch (error) {
      group.disabled = false
      say(problem, error instanceof Error ? error.message : String(error))
    }
  }
  element.addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
  return { element, remove: () => element.remove() }
}

/** The last words of the conversation; the rest as JSON. */
function textOf(params: unknown): string {
  const messages = isJsonObject(params) && Array.isArray(params['messages']) ? params['messages'] : []
  const last: unknown = messages.at(-1)
  const content = isJsonObject(last) ? last['content'] : undefined
  if (isJsonObject(content) && typeof content['text'] === 'string') return content['text']
  return JSON.stringify(messages, undefined, 2)
}
