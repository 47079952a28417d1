import { createTaskClient } from 'taskwire/lite'
import { idbStorage } from '../../docs/examples/idbStorage.js'

/** What the page is told by the worker that runs this. */
export interface PlaceNews {
  readonly hasDocument: boolean
  /** Texts of the result; undefined before there is one. */
  readonly result?: readonly string[]
  /** Messages of errors. */
  readonly problems: readonly string[]
}

declare global {
  var MCP_URL: string | undefined
}

const channel = new BroadcastChannel('place')
const problems: string[] = []
const tell = (result?: readonly string[]) => {
  const news: PlaceNews = { hasDocument: 'document' in globalThis, problems, ...(result && { result }) }
  channel.postMessage(news)
}

const client = createTaskClient({
  url: globalThis.MCP_URL ?? '/mcp',
  storage: idbStorage,
  onError: (error) => problems.push(error.message),
})

// With a key: a worker that was stopped in the middle takes up the same task when it is started again.
client.callTool({ name: 'report', arguments: {} }, { key: 'q3' }).then(
  ({ content }) => tell(content.map((block) => (block.type === 'text' ? block.text : block.type))),
  (error: Error) => {
    problems.push(`${error.name}: ${error.message}`)
    tell()
  },
)

// A service worker that was stopped is started for an event that it listens to.
globalThis.addEventListener('message', () => {})
