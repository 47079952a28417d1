import { notifyManager } from '@tanstack/react-query'
import { JSDOM } from 'jsdom'
import type { WatchingHook } from './support/countRenders.js'
import type { Group } from './support/runner.js'

const CALLS = 1000
const HOOKS: readonly WatchingHook[] = ['useToolCall', 'useToolCallState']

/** Deterministic; `test/renders.test.tsx` holds them to it. */
export const renders: Group = async () => {
  const { window } = new JSDOM()
  const { document, navigator } = window
  // Node has a navigator of its own from 21 on.
  Object.assign(globalThis, { window, document, ...(!('navigator' in globalThis) && { navigator }) })
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  notifyManager.setScheduler(queueMicrotask)
  // React looks for the page when it is loaded.
  const { countRenders } = await import('./support/countRenders.js')
  const rows = []
  for (const hook of HOOKS) {
    const { unchanged, ticked } = await countRenders(hook, CALLS)
    rows.push(
      { cells: [`${hook}: all polled, nothing new`, `${unchanged}`], goal: { text: '0', isMet: unchanged === 0 } },
      { cells: [`${hook}: all polled, one ticks`, `${ticked}`], goal: { text: '1', isMet: ticked === 1 } },
    )
  }
  return [
    {
      title: 'Components that render',
      note: `On a page with a component for each of ${CALLS} calls, and others for the input requests and the connection.`,
      columns: ['', 'components'],
      rows,
    },
  ]
}
