import type { DevtoolsModel } from '../model/devtoolsModel.js'
import { timeOfDay } from '../model/format.js'
import { placesOf } from '../model/places.js'
import { type WirePart, type WireRow, wireRowsOf } from '../model/wireRows.js'
import { createChooser } from './chooser.js'
import { createCopyButton } from './copyButton.js'
import { element, setHidden, setText, type View } from './element.js'
import { createFacts } from './facts.js'
import { keyedList } from './keyedList.js'

/** What went over the wire, newest first. */
export function createWireTab(onChange: () => void): View<DevtoolsModel> {
  const chooser = createChooser<WireRow>({
    label: 'Messages',
    empty: 'Nothing has been sent yet.',
    hint: 'Choose a message.',
    keyOf: ({ key }) => key,
    rowOf: ({ method, at, status, outcome, task, server, tone }) => ({
      title: method,
      badge: status,
      text: [timeOfDay(at), server, outcome].filter(Boolean).join(' · '),
      note: task ?? '',
      tone,
    }),
    detail: createWireDetail(),
    onChange,
  })
  const note = element('p', { class: 'advice', hidden: true }, OF_THE_APP)
  return {
    element: element('div', { class: 'wires' }, note, chooser.element),
    update: ({ log, clients }) => {
      setHidden(
        note,
        clients.every(({ url }) => url !== undefined),
      )
      chooser.update(wireRowsOf(log.ofWire(), clients.length === 1 ? [] : placesOf(clients)))
    },
  }
}

const OF_THE_APP =
  'Over an SDK client of the app, its messages are seen without status and headers, and over one of SDK v1 nothing is. ' +
  'Make the client with createTaskClient({ url }) to see all of it.'

function createWireDetail(): View<WireRow> {
  const copy = createCopyButton('Copy as curl')
  const parts = element('div')
  const show = keyedList<WirePart>(parts, ({ key }) => key, createPart)
  return {
    element: element('div', { class: 'wire' }, copy.element, parts),
    update: (row) => {
      copy.update(row.curl)
      show(row.parts)
    },
  }
}

function createPart(): View<WirePart> {
  const title = element('h3')
  const headers = createFacts()
  const body = element('pre')
  return {
    element: element('section', {}, title, headers.element, body),
    update: (part) => {
      setText(title, part.title)
      headers.update(part.headers)
      setText(body, part.body)
      setHidden(body, part.body === '')
    },
  }
}
