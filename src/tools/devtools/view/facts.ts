import { element, setText, type View } from './element.js'
import { keyedList } from './keyedList.js'

type Fact = readonly [name: string, value: string]

/** Names and their values. Texts are cut where they would take more room than the one before. */
export function createFacts(kind: 'facts' | 'texts' = 'facts'): View<readonly Fact[]> {
  const root = element('dl', { class: kind })
  const update = keyedList<Fact>(
    root,
    ([name]) => name,
    ([name]) => {
      const value = element('dd')
      return {
        element: element('div', { 'data-fact': name }, element('dt', {}, name), value),
        update: ([, text]) => setText(value, text),
      }
    },
  )
  return { element: root, update }
}
