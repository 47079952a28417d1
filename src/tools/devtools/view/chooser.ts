import { element, setAttributes, setHidden, setText, type View } from './element.js'
import { keyedList } from './keyedList.js'
import { roving } from './roving.js'

/** A row as the list shows it: two lines, each with something at its end. */
export interface ChooserRow {
  readonly title: string
  readonly badge: string
  readonly text: string
  readonly note: string
  readonly tone: string
}

export interface ChooserOptions<Item> {
  readonly label: string
  /** What stands in the place of an empty list. */
  readonly empty: string
  /** What stands in the place of the detail while nothing is chosen. */
  readonly hint: string
  keyOf(item: Item): string
  rowOf(item: Item): ChooserRow
  /** True if the first item is chosen as long as the user has chosen none. */
  readonly choosesFirst?: boolean
  /** Stands above the list. */
  readonly head?: Element
  /** Shows the item that is chosen. */
  readonly detail: View<Item>
  onChange(): void
}

/** As many rows are shown at first, and more with each push of the button: a page may have thousands of calls. */
const PAGE = 50

/** A list, of whose items one is chosen, and that one in detail. */
export function createChooser<Item>(options: ChooserOptions<Item>): View<readonly Item[]> {
  const { label, keyOf, detail, onChange } = options
  let chosen: string | undefined
  let limit = PAGE

  const list = element('div', { class: 'list', role: 'listbox', 'aria-label': label })
  const more = element('button', { class: 'more', type: 'button', hidden: true })
  const empty = element('p', { class: 'empty' }, options.empty)
  const hint = element('p', { class: 'empty' }, options.hint)
  const shown = element('div', { class: 'detail', role: 'region', 'aria-label': `${label}: detail`, tabindex: 0 }, hint)
  const root = element(
    'div',
    { class: 'chooser' },
    element('div', { class: 'lists' }, ...(options.head ? [options.head] : []), empty, list, more),
    shown,
  )

  function choose(key: string | undefined): void {
    chosen = key
    onChange()
  }

  const show = keyedList(list, keyOf, () =>
    optionView((item: Item) => ({ ...options.rowOf(item), key: keyOf(item), isChosen: keyOf(item) === chosen })),
  )
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element ? target.closest<HTMLElement>('[role="option"]') : null
    if (option) choose(option.dataset['key'])
  })
  roving(list, (option) => choose(option.dataset['key']))
  more.addEventListener('click', () => {
    limit += PAGE
    onChange()
  })

  return {
    element: root,
    update: (items) => {
      const [first] = items
      if (chosen === undefined && options.choosesFirst && first !== undefined) chosen = keyOf(first)
      const item = chosen === undefined ? undefined : items.find((one) => keyOf(one) === chosen)
      const rows = items.slice(0, limit)
      show(rows)
      // The Tab key needs one of them to go to.
      if (item === undefined || !rows.includes(item)) setAttributes(list.children[0] ?? list, { tabindex: 0 })
      setHidden(list, items.length === 0)
      setHidden(empty, items.length > 0)
      setHidden(more, items.length <= limit)
      setText(more, `Show ${Math.min(PAGE, items.length - limit)} more of ${items.length}`)
      if (item !== undefined) detail.update(item)
      const content = item === undefined ? hint : detail.element
      if (shown.firstElementChild === content) return
      const hadFocus = shown.querySelector(':focus') !== null
      shown.replaceChildren(content)
      // The keyboard stays where it was, also where the call of a button is gone.
      if (hadFocus) shown.focus()
    },
  }
}

interface OptionRow extends ChooserRow {
  readonly key: string
  readonly isChosen: boolean
}

function optionView<Item>(project: (item: Item) => OptionRow): View<Item> {
  const [title, badge, text, note] = ['title', 'badge', 'text', 'note'].map((name) => element('span', { class: name }))
  const option = element('div', { class: 'option', role: 'option' })
  for (const part of [title, badge, text, note]) if (part) option.append(part)
  return {
    element: option,
    update: (item) => {
      const row = project(item)
      setAttributes(option, {
        'data-key': row.key,
        'data-tone': row.tone,
        'aria-selected': String(row.isChosen),
        tabindex: row.isChosen ? 0 : -1,
      })
      if (title) setText(title, row.title)
      if (badge) setText(badge, row.badge)
      if (text) setText(text, row.text)
      if (note) setText(note, row.note)
    },
  }
}
