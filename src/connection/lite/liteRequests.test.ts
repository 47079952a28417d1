import { expect, it } from 'vitest'
import { createSimulatedEnvironment } from '../../testing/index.js'
import { createLiteRequests } from './liteRequests.js'

const OPEN = 20

/** As many requests as nobody answers, each with a signal of its own. */
function openRequests() {
  const { environment } = createSimulatedEnvironment()
  const sent: AbortSignal[] = []
  const requests = createLiteRequests({
    url: () => new URL('https://tasks.example/mcp'),
    fetch: (_, init) => {
      if (init?.signal) sent.push(init.signal)
      return new Promise(() => {})
    },
    headers: undefined,
    envelope: {},
    environment,
  })
  const failures: unknown[] = []
  const open = () => requests.request('tools/call', {}).catch((error: unknown) => failures.push(error))
  return { requests, open, sent, failures, settle: () => new Promise((resolve) => setImmediate(resolve)) }
}

it('taskwire/lite has no signal that collects the listeners of the requests that are open, which Node warns of', async () => {
  const warnings: unknown[] = []
  const listener = (warning: Error) => warnings.push(warning.name)
  process.on('warning', listener)
  const { requests, open, sent, settle } = openRequests()
  for (let count = 0; count < OPEN; count++) open()
  await settle()
  await settle()
  process.off('warning', listener)
  expect(sent).toHaveLength(OPEN)
  expect(warnings).toEqual([])
  requests.close()
})

it('taskwire/lite ends every open request when it is closed, and every later one at once', async () => {
  const { requests, open, sent, failures, settle } = openRequests()
  for (let count = 0; count < OPEN; count++) open()
  await settle()
  requests.close()
  open()
  await settle()
  expect(failures).toHaveLength(OPEN + 1)
  for (const error of failures) expect(error).toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(sent.map(({ aborted }) => aborted)).toEqual(Array(OPEN).fill(true))
})
