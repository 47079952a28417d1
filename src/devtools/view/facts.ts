import { element, setText, type View } from './element.js'
import { keyedList } from './keyedList.js'

type Fact = readonly [name: string, value: string]

/** Names and their values. */
export function createFacts(): View<readonly Fact[]> {
  const root = element('dl', { class: 'facts' })
  const update = keyedList<Fact>(
    root,
    ([name]) => name,
    ([name]) => {
      const value = element('dd')
      return {
        element: element('div', {}, element('dt', {}, name), value),
        update: ([, text]) => setText(value, text),
      }
    },
  )
  return { element: root, update }
}
