import type { TaskClient, ToolCallState } from 'taskwire'
import { reportTitle } from '../app/reports/savedReport.js'

const MOST_LINES = 6

/**
 * A log of what calls do, without React: `client.store` is a plain store with `getState` and `subscribe`.
 * A call keeps its reference until something about it changes, so comparing references finds the news.
 */
export function mountActivityLog(element: HTMLElement, client: TaskClient): () => void {
  const list = document.createElement('ol')
  element.replaceChildren(part('p', 'What calls do is listed here.'))

  function add(call: ToolCallState): void {
    const line = document.createElement('li')
    line.append(
      part('time', new Date().toLocaleTimeString('en-GB')),
      part('b', reportTitle(call)),
      part('span', news(call)),
    )
    list.prepend(line)
    if (!list.isConnected) element.replaceChildren(list)
    while (list.childElementCount > MOST_LINES) list.lastElementChild?.remove()
  }

  return client.store.subscribe(({ calls }, before) => {
    for (const call of Object.values(calls)) {
      const was = before.calls[call.callId]
      if (was === undefined || news(was) !== news(call)) add(call)
    }
  })
}

function news({ phase, network, isCancelling, task }: ToolCallState): string {
  if (phase !== 'working') return phase
  if (network !== 'ok') return network
  return isCancelling ? 'cancelling' : (task?.statusMessage ?? phase)
}

/** `textContent`, never `innerHTML`: what a server says is text. */
function part(tag: 'time' | 'b' | 'span' | 'p', text: string): HTMLElement {
  const node = document.createElement(tag)
  node.textContent = text
  return node
}
