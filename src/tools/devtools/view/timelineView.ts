import { timeOfDay } from '../model/format.js'
import type { TimelineRow } from '../model/timeline.js'
import { element, setAttributes, setHidden, setText, type View } from './element.js'
import { keyedList } from './keyedList.js'

const PAGE = 100

/** What happened to a call, newest first. */
export function createTimelineView(onChange: () => void): View<readonly TimelineRow[]> {
  let limit = PAGE
  const body = element('tbody')
  const head = element('tr', {}, ...['Time', 'What', 'Why', 'Waited', 'Outcome', 'Next poll'].map(headCell))
  const table = element('table', { class: 'timeline' }, element('thead', {}, head), body)
  const more = element('button', { class: 'more', type: 'button', hidden: true }, 'Show older')
  const empty = element('p', { class: 'empty' }, 'No observations of this call yet.')
  more.addEventListener('click', () => {
    limit += PAGE
    onChange()
  })
  const show = keyedList<TimelineRow>(body, ({ key }) => key, createRow)
  return {
    element: element('div', {}, table, empty, more),
    update: (rows) => {
      show(rows.slice(-limit).reverse())
      setHidden(table, rows.length === 0)
      setHidden(empty, rows.length > 0)
      setHidden(more, rows.length <= limit)
    },
  }
}

function headCell(text: string): HTMLElement {
  return element('th', { scope: 'col', class: text.toLowerCase().split(' ')[0] }, text)
}

function createRow({ at }: TimelineRow): View<TimelineRow> {
  const cell = (name: string) => element('td', { class: name })
  const [what, why, waited, outcome, next] = [
    cell('what'),
    cell('why'),
    cell('waited'),
    cell('outcome'),
    cell('next'),
  ] as const
  const row = element('tr', {}, element('td', { class: 'time' }, timeOfDay(at)), what, why, waited, outcome, next)
  return {
    element: row,
    update: (data) => {
      setAttributes(row, { 'data-tone': data.tone, 'data-earlier': data.isEarlier ?? false })
      setText(what, data.isEarlier ? `${data.what} (before the reload)` : data.what)
      setText(why, data.why ?? '')
      setText(waited, data.waited ?? '')
      setText(outcome, data.outcome ?? '')
      setText(next, data.next ?? '')
    },
  }
}
