import { createTaskClient, type Environment, type TaskClient } from 'taskwire'
import { createTaskClient as createPageClient } from 'taskwire/bridge'
import { createTaskBridge } from 'taskwire/bridge/server'
import { defineTool } from 'taskwire/server'
import { createTestServer, type TestServer } from 'taskwire/testing'
import { z } from 'zod'
import { type ClientKind, createClientOf } from '../support/createClientOf.js'
import { simulateMachineTimers } from '../support/machineTimers.js'
import { type Contender, extTasks, naivePoller } from './contenders.js'
import { type Cost, createMeter, type Meter } from './meter.js'

/** An hour in which pages watch calls whose tasks have news once a minute, on a server that asks for polls every 5 s. */
export interface Scenario {
  readonly name: string
  readonly tabs: number
  /** Calls that each tab watches. */
  readonly calls: number
  readonly push: boolean
  readonly by: ClientKind | Contender | 'react'
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export const SCENARIOS: readonly Scenario[] = [
  { name: 'a naive poller', tabs: 1, calls: 1, push: false, by: naivePoller },
  { name: 'a naive poller, 5 tabs', tabs: 5, calls: 1, push: false, by: naivePoller },
  { name: 'ext-tasks', tabs: 1, calls: 1, push: false, by: extTasks },
  { name: 'ext-tasks, 5 tabs', tabs: 5, calls: 1, push: false, by: extTasks },
  { name: 'Taskwire, polled', tabs: 1, calls: 1, push: false, by: 'full' },
  { name: 'Taskwire, polled, 5 tabs', tabs: 5, calls: 1, push: false, by: 'full' },
  { name: 'Taskwire, polled, 10 calls', tabs: 1, calls: 10, push: false, by: 'full' },
  { name: 'Taskwire, polled, in React', tabs: 1, calls: 1, push: false, by: 'react' },
  { name: 'Taskwire, pushed', tabs: 1, calls: 1, push: true, by: 'full' },
  { name: 'Taskwire, pushed, 5 tabs', tabs: 5, calls: 1, push: true, by: 'full' },
  { name: 'Taskwire, pushed, 10 calls', tabs: 1, calls: 10, push: true, by: 'full' },
  { name: 'Taskwire, pushed, in React', tabs: 1, calls: 1, push: true, by: 'react' },
  { name: '`taskwire/lite`, polled', tabs: 1, calls: 1, push: false, by: 'lite' },
  { name: '`taskwire/lite`, pushed', tabs: 1, calls: 1, push: true, by: 'lite' },
  { name: '`taskwire/bridge`', tabs: 1, calls: 1, push: true, by: 'bridge' },
  { name: '`taskwire/bridge`, 5 tabs', tabs: 5, calls: 1, push: true, by: 'bridge' },
  { name: '`taskwire/bridge`, 10 calls', tabs: 1, calls: 10, push: true, by: 'bridge' },
]

const report = defineTool({
  name: 'report',
  taskSupport: 'required',
  inputSchema: z.object({}),
  handler: async (_, { progress, sleep }) => {
    for (let minute = 1; ; minute++) {
      await sleep(MINUTE)
      await progress(`minute ${minute}`)
    }
  },
})

/** What an hour of the scenario costs for each call that is watched, however many tabs watch it. */
export async function measure(scenario: Scenario): Promise<Cost> {
  const { calls, push, by } = scenario
  const showInReact = by === 'react' ? await (await import('./reactPage.js')).loadReact() : undefined
  const server = createTestServer({ tools: [report], push, pollIntervalMs: 5000 })
  const meter = createMeter()
  // The SDK and ext-tasks know no other timers.
  const machine = server.browser.openPage().environment
  const restore = simulateMachineTimers(meter.timers(machine))
  try {
    const show = (client: TaskClient) =>
      showInReact ? showInReact(client, () => meter.add('renders')) : watch(client, calls)
    const opening =
      typeof by === 'function' ? openPages(scenario, by, server, meter) : openClients(scenario, show, server, meter)
    await server.advance(MINUTE / 2)
    const close = await opening
    meter.reset()
    await server.advance(HOUR)
    const cost = Object.entries(meter.cost).map(([what, count]) => [what, Math.round(count / calls)])
    await Promise.all([close(), server.close(), server.advance(MINUTE)])
    return Object.fromEntries(cost) as Cost
  } finally {
    restore()
  }
}

type Close = () => Promise<void>

async function openPages({ tabs }: Scenario, open: Contender, server: TestServer, meter: Meter): Promise<Close> {
  const pages = Array.from({ length: tabs }, () => meter.environment(server.browser.openPage().environment))
  const closings = await Promise.all(pages.map((page) => open(server.url, page)))
  return async () => void (await Promise.all(closings.map((close) => close())))
}

async function openClients(
  { tabs, by }: Scenario,
  show: (client: TaskClient) => Close,
  server: TestServer,
  meter: Meter,
): Promise<Close> {
  const backend = by === 'bridge' ? startBackend(server) : undefined
  const clients = Array.from({ length: tabs }, () => {
    const environment = meter.environment(server.browser.openPage().environment)
    if (backend !== undefined) return backend.openPage(environment, meter)
    return createClientOf(by === 'lite' ? 'lite' : 'full', { url: server.url, environment })
  })
  const unmounts = clients.map(show)
  return async () => {
    for (const unmount of unmounts) await unmount()
    await Promise.all(clients.map((client) => client.close()))
    await backend?.close()
  }
}

/** A backend with the client of its one user. What it costs itself is not counted: pages are. */
function startBackend(server: TestServer) {
  const environment = { ...server.browser.openPage().environment, locks: undefined, channel: undefined }
  const client = createTaskClient({ url: server.url, storage: 'memory', environment })
  const { fetch } = createTaskBridge({ clientOf: () => client, allow: { tools: ['report'] }, environment })
  return {
    close: () => client.close(),
    openPage: (environment: Environment, meter: Meter) =>
      createPageClient({
        url: 'http://localhost/api/calls',
        environment,
        fetch: meter.fetch((url, init) => fetch(new Request(url, init))),
      }),
  }
}

/** As a component that shows the calls does. */
function watch(client: TaskClient, calls: number): Close {
  for (let index = 0; index < calls; index++) {
    const call = client.startToolCall({ name: 'report' }, { key: `report-${index}` })
    call.subscribe(() => {})
    call.result.catch(() => {})
  }
  return async () => {}
}
