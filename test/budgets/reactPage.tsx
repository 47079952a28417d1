import { JSDOM } from 'jsdom'
import type { TaskClient } from 'taskwire'
import { TaskClientProvider, useToolCall } from 'taskwire/react'

/** Shows a call of the client. Returns what takes it off the page. */
export type ShowInReact = (client: TaskClient, onRender: () => void) => () => Promise<void>

function Report({ onRender }: { onRender: () => void }) {
  const { call } = useToolCall({ name: 'report', key: 'report-0' })
  onRender()
  return call?.task?.statusMessage
}

/** Loads React with a document, which takes real time: before the time of a scenario begins. */
export async function loadReact(): Promise<ShowInReact> {
  const { window } = new JSDOM()
  const { document, navigator } = window
  // Node has a navigator of its own from 21 on.
  Object.assign(globalThis, { window, document, ...(!('navigator' in globalThis) && { navigator }) })
  // It looks for the document when it is loaded.
  const { createRoot } = await import('react-dom/client')

  return (client, onRender) => {
    const root = createRoot(document.createElement('div'))
    root.render(
      <TaskClientProvider client={client}>
        <Report onRender={onRender} />
      </TaskClientProvider>,
    )
    return async () => root.unmount()
  }
}
