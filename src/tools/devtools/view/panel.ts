import type { DevtoolsModel } from '../model/devtoolsModel.js'
import { placesOf } from '../model/places.js'
import { summaryOf } from '../model/summary.js'
import { type CallsTabOptions, createCallsTab } from './callsTab.js'
import { element, setAttributes, setHidden, type View } from './element.js'
import { createFaultsTab } from './faultsTab.js'
import { roving } from './roving.js'
import { createStorageTab } from './storageTab.js'
import { createSummaryView } from './summaryView.js'
import { createWireTab } from './wireTab.js'

export interface Panel extends View<DevtoolsModel> {
  readonly element: HTMLElement
  /** Puts the focus on the tab that is chosen. */
  focus(): void
}

/** The panel: how things are, and tabs for calls, messages, records and faults. Only the tab that is chosen is updated. */
export function createPanel(options: CallsTabOptions, close: HTMLElement | undefined): Panel {
  const { onChange } = options
  const tabs = [
    { name: 'Calls', view: createCallsTab(options) },
    { name: 'Wire', view: createWireTab(onChange) },
    { name: 'Storage', view: createStorageTab(onChange) },
    { name: 'Faults', view: createFaultsTab() },
  ].map(({ name, view }) => {
    const id = name.toLowerCase()
    const button = element(
      'button',
      { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `view-${id}` },
      name,
    )
    const body = element('div', { class: 'view', role: 'tabpanel', id: `view-${id}`, 'aria-labelledby': `tab-${id}` })
    body.append(view.element)
    button.addEventListener('click', () => choose(button))
    return { button, body, view }
  })
  let chosen = tabs[0]

  const summary = createSummaryView()
  const list = element('div', { role: 'tablist', 'aria-label': 'Views' }, ...tabs.map(({ button }) => button))
  const bar = element('div', { class: 'bar' }, list, summary.element, ...(close ? [close] : []))
  const root = element('section', { id: 'panel', class: 'panel', 'aria-label': 'Taskwire devtools' }, bar)
  root.append(...tabs.map(({ body }) => body))
  roving(list, choose)
  mark()

  function choose(button: HTMLElement): void {
    chosen = tabs.find((tab) => tab.button === button) ?? chosen
    mark()
    onChange()
  }

  function mark(): void {
    for (const tab of tabs) {
      const isChosen = tab === chosen
      setAttributes(tab.button, { 'aria-selected': String(isChosen), tabindex: isChosen ? 0 : -1 })
      setHidden(tab.body, !isChosen)
    }
  }

  return {
    element: root,
    focus: () => chosen?.button.focus(),
    update: (model) => {
      const places = placesOf(model.clients)
      summary.update(
        summaryOf({
          servers: model.clients.map((client, number) => ({
            url: places[number],
            connection: client.store.getState().connection,
          })),
          start: model.start,
          ofPage: model.log.ofPage(),
          // What the page before has seen says nothing of this one.
          ofCalls: model.log
            .ofCalls()
            .flatMap(({ observation }) => (model.isEarlier(observation) ? [] : [observation])),
          faults: model.faults?.active() ?? new Set(),
        }),
      )
      chosen?.view.update(model)
    },
  }
}
