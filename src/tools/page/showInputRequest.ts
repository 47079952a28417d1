import { createElicitationForm } from '../../bindings/forms/createElicitationForm.js'
import type { ElicitationField } from '../../bindings/forms/elicitationFields.js'
import type { ElicitationForm, ElicitationSource } from '../../bindings/forms/elicitationForm.js'
import { button, create, say, setAttributes } from './elements.js'
import { showSampling } from './showSampling.js'

/** An input request of a call, and what takes it away. */
export interface ShownInputRequest {
  readonly element: Element
  readonly remove: () => void
}

/** The form of what a server asks: of an elicitation, or of a completion, which a person writes here. */
export function showInputRequest(source: ElicitationSource): ShownInputRequest {
  return source.request.method === 'elicitation/create' ? showElicitation(source) : showSampling(source)
}

function showElicitation(source: ElicitationSource): ShownInputRequest {
  const form = createElicitationForm(source, { drafts: 'session' })
  const { kind, message, address, warnings, fields } = form.getState()
  const group = create('fieldset', {}, create('legend', {}, 'The server asks'), create('p', {}, message))
  const controls = fields.map((field) => showField(group, form, field))
  if (address) {
    const safely = { href: address.href, target: '_blank', rel: 'noopener noreferrer' }
    const link = create('a', safely, address.before, create('strong', {}, address.host), address.after)
    for (const type of ['click', 'auxclick'] as const) link.addEventListener(type, (event) => void form.onOpen(event))
    group.append(create('p', {}, link))
  }
  for (const warning of warnings) group.append(create('p', {}, warning))
  const submit = create('button', { type: 'submit', class: 'primary' }, 'Submit')
  const buttons = [button('Decline', form.decline), button('Not now', form.cancel)]
  group.append(create('div', { class: 'actions' }, ...(kind === 'form' ? [submit, ...buttons] : buttons)))
  const problem = create('p', { role: 'alert' })
  const status = create('p', { role: 'status', class: 'muted' })
  const element = create('form', { novalidate: true, class: 'asks' }, group, problem, status)
  element.addEventListener('submit', (event) => void form.onSubmit(event))

  function update(): void {
    const state = form.getState()
    group.disabled = !state.isEditable
    submit.disabled = !state.canSubmit
    say(problem, state.problem)
    say(status, state.statusText)
    for (const [index, field] of state.fields.entries()) controls[index]?.(field)
  }
  update()
  const unsubscribe = form.subscribe(update)
  return {
    element,
    remove() {
      unsubscribe()
      element.remove()
    },
  }
}

type Input = HTMLInputElement | HTMLSelectElement

/** Adds a field to the form. Returns a function that shows what has changed in it. */
function showField(parent: Element, form: ElicitationForm, field: ElicitationField): (field: ElicitationField) => void {
  const error = create('p', { id: field.errorId, class: 'error' })
  const notes = field.description ? [create('p', { id: field.hintId }, field.description), error] : [error]
  const { elements, inputs } = field.kind === 'choices' ? boxesOf(form, field, notes) : controlOf(form, field, notes)
  parent.append(...elements)
  return (now) => {
    say(error, now.error ?? '')
    for (const input of inputs) setAttributes(input, now.attributes)
    for (const [index, input] of inputs.entries()) setValue(input, now, index)
  }
}

function boxesOf(form: ElicitationForm, field: ElicitationField & { kind: 'choices' }, notes: readonly Element[]) {
  const inputs = field.options.map((option) => {
    const box = create('input', { id: option.id, value: option.value })
    box.addEventListener('change', () => form.toggle(field.name, option.value))
    return box
  })
  const labels = field.options.map(({ label }, index) =>
    create('label', { class: 'box' }, inputs[index] ?? '', ` ${label}`),
  )
  const group = create('fieldset', { class: 'field' }, create('legend', {}, labelOf(field)), ...labels, ...notes)
  return { elements: [group], inputs }
}

function controlOf(form: ElicitationForm, field: ElicitationField, notes: readonly Element[]) {
  const { name, kind, id } = field
  const label = create('label', { for: id }, labelOf(field))
  const inputs: Input[] = []
  if (kind === 'choice') {
    const options = field.options.map(({ value, label: text }) => create('option', { value }, text))
    const select = create('select', { id }, create('option', { value: '' }, 'Choose…'), ...options)
    select.addEventListener('change', () => form.set(name, select.value))
    inputs.push(select)
  } else if (kind !== 'unsupported') {
    const input = create('input', { id })
    input.addEventListener('input', () => form.set(name, kind === 'boolean' ? input.checked : input.value))
    inputs.push(input)
  }
  const isBox = kind === 'boolean'
  if (isBox) label.prepend(...inputs, ' ')
  const element = create('div', { class: 'field' }, label, ...(isBox ? [] : inputs), ...notes)
  if (isBox) label.className = 'box'
  return { elements: [element], inputs }
}

const labelOf = ({ label, isRequired, kind }: ElicitationField) =>
  isRequired || kind === 'boolean' ? label : `${label} (optional)`

function setValue(input: Input, field: ElicitationField, index: number): void {
  if (field.kind === 'choices') (input as HTMLInputElement).checked = field.options[index]?.isChosen === true
  else if (field.kind === 'boolean') (input as HTMLInputElement).checked = field.value
  else if (field.kind !== 'unsupported' && input.value !== field.value) input.value = field.value
}
