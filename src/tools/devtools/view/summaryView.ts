import type { Summary } from '../model/summary.js'
import { element, setAttributes, setText, type View } from './element.js'
import { keyedList } from './keyedList.js'

/** How page, network and tabs are. */
export function createSummaryView(): View<readonly Summary[]> {
  const list = element('ul', { class: 'summary', 'aria-label': 'Now' })
  const show = keyedList<readonly [key: string, summary: Summary]>(list, ([key]) => key, createItem)
  return { element: list, update: (all) => show(all.map((one, index) => [`${index} ${one.name}`, one])) }
}

function createItem([, { name }]: readonly [string, Summary]): View<readonly [string, Summary]> {
  const value = element('b')
  const item = element('li', {}, `${name} `, value)
  return {
    element: item,
    update: ([, summary]) => {
      setAttributes(item, { 'data-tone': summary.tone })
      setText(value, summary.value)
    },
  }
}
