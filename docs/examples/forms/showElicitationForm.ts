import {
  createElicitationForm,
  type ElicitationField,
  type ElicitationForm,
  type ElicitationSource,
} from 'taskwire/forms'

/**
 * The server as your users know it. The name that it gives itself proves
 * nothing.
 */
const SERVER = 'Reports (example.com)'

/**
 * Shows the form of an input request in `parent`. Returns a function that
 * removes it.
 */
export function showElicitationForm(
  parent: Element,
  source: ElicitationSource,
): () => void {
  const form = createElicitationForm(source, { drafts: 'session' })
  const { kind, message, address, warnings, fields } = form.getState()

  const group = create(
    'fieldset',
    {},
    create('legend', {}, `${SERVER} asks`),
    create('p', {}, message),
  )
  const controls = fields.map((field) => showField(group, form, field))
  if (address) {
    const host = create('strong', {}, address.host)
    const safely = {
      href: address.href,
      target: '_blank',
      rel: 'noopener noreferrer',
    }
    const link = create('a', safely, address.before, host, address.after)
    link.addEventListener('click', form.onOpen)
    link.addEventListener('auxclick', form.onOpen)
    group.append(link)
  }
  for (const warning of warnings) group.append(create('p', {}, warning))
  const submit = create('button', { type: 'submit' }, 'Submit')
  if (kind === 'form') group.append(submit)
  group.append(button('Decline', form.decline), button('Not now', form.cancel))

  const problem = create('p', { role: 'alert' })
  const status = create('p', { role: 'status' })
  const element = create('form', { novalidate: '' }, group, problem, status)
  element.addEventListener('submit', form.onSubmit)

  function update(): void {
    const state = form.getState()
    group.disabled = !state.isEditable
    submit.disabled = !state.canSubmit
    problem.textContent = state.problem
    status.textContent = state.statusText
    for (const [index, field] of state.fields.entries())
      controls[index]?.(field)
  }
  update()
  const unsubscribe = form.subscribe(update)
  parent.append(element)
  return () => {
    unsubscribe()
    element.remove()
  }
}

/**
 * Adds a field to the form. Returns a function that shows what has changed in
 * it.
 */
function showField(
  parent: Element,
  form: ElicitationForm,
  field: ElicitationField,
): (field: ElicitationField) => void {
  const { name, kind, id, description, hintId, errorId } = field
  const label =
    field.isRequired || kind === 'boolean'
      ? field.label
      : `${field.label} (optional)`
  const error = create('p', { id: errorId })
  const notes = description
    ? [create('p', { id: hintId }, description), error]
    : [error]
  const inputs: (HTMLInputElement | HTMLSelectElement)[] = []

  if (kind === 'choices') {
    const boxes = field.options.map((option) => {
      const box = create('input', { id: option.id, value: option.value })
      box.addEventListener('change', () => form.toggle(name, option.value))
      inputs.push(box)
      return create('label', {}, box, ` ${option.label}`)
    })
    parent.append(
      create('fieldset', {}, create('legend', {}, label), ...boxes, ...notes),
    )
  } else {
    const parts: Element[] = [create('label', { for: id }, label)]
    if (kind === 'choice') {
      const options = field.options.map(({ value, label }) =>
        create('option', { value }, label),
      )
      const select = create(
        'select',
        { id },
        create('option', { value: '' }, 'Choose…'),
        ...options,
      )
      select.addEventListener('change', () => form.set(name, select.value))
      inputs.push(select)
    } else if (kind !== 'unsupported') {
      const input = create('input', { id })
      input.addEventListener('input', () =>
        form.set(name, kind === 'boolean' ? input.checked : input.value),
      )
      inputs.push(input)
    }
    parent.append(create('div', {}, ...parts, ...inputs, ...notes))
  }

  return (now) => {
    error.textContent = now.error ?? ''
    for (const input of inputs) setAttributes(input, now.attributes)
    inputs.forEach((input, index) => {
      if (now.kind === 'choices')
        (input as HTMLInputElement).checked =
          now.options[index]?.isChosen === true
      else if (now.kind === 'boolean')
        (input as HTMLInputElement).checked = now.value
      else if (now.kind !== 'unsupported' && input.value !== now.value)
        input.value = now.value
    })
  }
}

function button(label: string, onClick: () => void): HTMLButtonElement {
  const element = create('button', { type: 'button' }, label)
  element.addEventListener('click', onClick)
  return element
}

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  ...children: (string | Element)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  setAttributes(element, attributes)
  element.append(...children)
  return element
}

function setAttributes(element: Element, attributes: object): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) element.removeAttribute(name)
    else element.setAttribute(name, value === true ? '' : value)
  }
}
