import type { JsonObject } from '../../core/protocol/json.js'
import type { Tool } from '../../core/protocol/tool.js'
import { argumentFields } from './argumentFields.js'
import { create, words } from './elements.js'

/** The list of tools, as links: the address of the page names the tool, so that a reload shows it again. */
export function toolList(tools: readonly Tool[]): HTMLUListElement {
  const items = tools.map((tool) => {
    const { name, description } = tool
    const link = create('a', { href: addressOf(name) }, create('b', {}, ...words(name)))
    if (description) link.append(create('span', {}, description))
    return create('li', {}, link)
  })
  return create('ul', { class: 'tools' }, ...items)
}

/** The address of a tool in the page. */
export const addressOf = (name: string): string => `#${encodeURIComponent(name)}`

/** A tool with a form of its arguments. */
export function toolPanel(tool: Tool, call: (args: JsonObject) => void): Element[] {
  const { name, title = tool.annotations?.title, description, annotations } = tool
  const fields = argumentFields(tool)
  const back = create('a', { href: '#', class: 'back' }, 'All tools')
  const heading = create('h2', { tabindex: -1 }, ...words(name))
  const about: Element[] = []
  if (title !== undefined && title !== name) about.push(create('p', { class: 'muted' }, title))
  if (description) about.push(create('p', { class: 'description' }, description))
  const hints = hintsOf(annotations)
  if (hints !== '') about.push(create('p', { class: 'muted' }, hints))
  const submit = create('button', { type: 'submit', class: 'primary' }, 'Call')
  submit.setAttribute('aria-label', `Call ${name}`)
  const none = fields.elements.length > 0 ? [] : [create('p', { class: 'muted' }, 'It takes no arguments.')]
  const form = create(
    'form',
    { novalidate: true },
    ...none,
    ...fields.elements,
    create('div', { class: 'actions' }, submit),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const args = fields.read()
    if (args !== undefined) call(args)
  })
  return [back, heading, ...about, form]
}

/** What the server says of the tool. */
function hintsOf(annotations: Tool['annotations'] = {}): string {
  if (annotations.readOnlyHint === true) return 'According to the server, it only reads.'
  if (annotations.destructiveHint === true) return 'The server says that it may delete or overwrite something.'
  return ''
}
