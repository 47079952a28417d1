import type { Fault } from '../faults/createFaultInjection.js'
import { FAULT_NAMES } from '../faults/faultNames.js'
import type { DevtoolsModel } from '../model/devtoolsModel.js'
import { element, setAttributes, setHidden, type View } from './element.js'

const FAULTS: readonly (readonly [fault: Fault, text: string])[] = [
  ['offline', 'No network. Open requests break off.'],
  ['lose-next-answer', 'Once: the server handles the request, and the page never gets the response.'],
  ['answer-503', 'Every request is refused, and none reaches the server.'],
  ['slow', 'Responses come three seconds later.'],
  ['freeze', 'The timers stop, as in a frozen tab.'],
]

/** How to enable the buttons. */
const HOW =
  'To enable these buttons, call createFaultInjection() of taskwire/devtools. Pass its environment to createTaskClient(), and the faults to mountTaskwireDevtools(client, { faults }).'

/** Buttons that break things. */
export function createFaultsTab(): View<DevtoolsModel> {
  let faults: DevtoolsModel['faults']
  const how = element('p', { class: 'how' }, HOW)
  const buttons = FAULTS.map(([fault, text]) => {
    const button = element(
      'button',
      { type: 'button', 'aria-pressed': 'false', 'aria-describedby': fault },
      FAULT_NAMES[fault],
    )
    button.addEventListener('click', () => faults?.set(fault, !faults.active().has(fault)))
    return { fault, button, row: element('li', {}, button, element('span', { id: fault }, text)) }
  })
  return {
    element: element('div', { class: 'faults' }, how, element('ul', {}, ...buttons.map(({ row }) => row))),
    update: (model) => {
      faults = model.faults
      setHidden(how, faults !== undefined)
      for (const { fault, button } of buttons) {
        const isOn = faults?.active().has(fault) === true
        setAttributes(button, { disabled: faults === undefined, 'aria-pressed': String(isOn) })
      }
    },
  }
}
