import type { DevtoolsModel } from '../model/devtoolsModel.js'
import { type RecordRow, recordRow } from '../model/recordRow.js'
import { createChooser } from './chooser.js'
import { element, setText, type View } from './element.js'
import { createFacts } from './facts.js'

/** The records in the storages of the page, also those of other servers and scopes. */
export function createStorageTab(onChange: () => void): View<DevtoolsModel> {
  const chooser = createChooser<RecordRow>({
    label: 'Records',
    empty: 'No records. A call without a key has one only until it ends.',
    hint: 'Choose a record.',
    keyOf: ({ storage, key }) => `${storage} ${key}`,
    rowOf: ({ name, storage, summary }) => ({ title: name, badge: storage, text: summary, note: '', tone: 'neutral' }),
    detail: createRecordDetail(),
    onChange,
  })
  return {
    element: chooser.element,
    update: ({ items, now }) => chooser.update(items.map((item) => recordRow(item, now))),
  }
}

function createRecordDetail(): View<RecordRow> {
  const key = element('h3')
  const facts = createFacts()
  return {
    element: element('div', { class: 'record' }, key, facts.element),
    update: (row) => {
      setText(key, row.key)
      facts.update(row.facts)
    },
  }
}
