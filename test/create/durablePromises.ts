import { match, ok, strictEqual } from 'node:assert'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { generate, untilProgress } from '../examples/clickThrough.js'
import { PATIENCE_MS, type Stage, type Visitor } from './backendStage.js'
import type { Fault, FaultyWay } from './faultyWay.js'

// The promises of docs/durability.md. A walk goes as far as it does before the kill of its group, and returns the rest.

export type Walk = (visitor: Visitor, stage: Stage) => Promise<() => Promise<void>>

/** Walks that can be played at the same time, and what happens after all of them have begun. */
export interface Group {
  readonly walks: Readonly<Record<string, Walk>>
  readonly between: (stage: Stage) => Promise<void>
}

/** The name of the visitor of a walk: its user at the backend. */
export const visitorOf = (promise: string): string => promise.replaceAll(/\W+/g, '-')

const REPORT = 'sold 4,200 pieces in'

/** What the page says of a task that its server has lost. */
export const LOST = /The server (no longer knows|does not know) this task/

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const shows = (page: Page, quarter: string) => page.getByText(`${REPORT} ${quarter}`).waitFor()
/** Next has an alert of its own beside the page. */
const alert = (page: Page) => page.getByRole('main').getByRole('alert')
const alerts = (page: Page, text: string) => alert(page).getByText(text).waitFor()
const cancelButton = (page: Page) => page.getByRole('button', { name: 'Cancel' })
const answerButton = (page: Page) => page.getByRole('button', { name: 'Approve' })

/** Opens a page, and starts a report. */
async function begin(visitor: Visitor, quarter: string): Promise<Page> {
  const page = await visitor.open()
  await generate(page, quarter)
  await untilProgress(page, 0)
  return page
}

async function untilAsked({ asked }: Visitor, method: string, count: number): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  while (asked(method) < count) {
    if (Date.now() > until) throw new Error(`${method} was asked ${asked(method)} times, not ${count}`)
    await pause(50)
  }
}

/** The server pushes to nobody: the backend has to poll. */
function withoutPush({ name }: Visitor, way: FaultyWay): void {
  way.fault(name, 'subscriptions/listen', ...Array<Fault>(20).fill({ status: 405 }))
}

function calledOnce({ asked }: Visitor): void {
  strictEqual(asked('tools/call'), 1, `tools/call was sent ${asked('tools/call')} times`)
}

/** However often it was asked for, it is one task. */
function ranOnce({ name }: Visitor, { way }: Stage): void {
  const ids = way.of(name, 'tools/call').flatMap(({ answer }) => /"taskId":"([^"]+)"/.exec(answer ?? '')?.[1] ?? [])
  strictEqual(new Set(ids).size, 1, `the tool ran for ${new Set(ids).size} tasks`)
}

/** A walk in which nothing is killed. */
const whole =
  (walk: (visitor: Visitor, stage: Stage) => Promise<void>): Walk =>
  async (visitor, stage) =>
  () =>
    walk(visitor, stage)

const RELOADS = {
  'reload while a task runs: the same task': whole(async (visitor) => {
    const page = await begin(visitor, 'Q3')
    for (let reloads = 0; reloads < 3; reloads++) {
      await page.reload()
      await untilProgress(page, 0)
    }
    await shows(page, 'Q3')
    calledOnce(visitor)
  }),
  'crash while a task runs: the same task': whole(async (visitor) => {
    const page = await begin(visitor, 'Q3')
    page.goto('chrome://crash').catch(() => {})
    await page.waitForEvent('crash')
    await shows(await visitor.open(), 'Q3')
    calledOnce(visitor)
  }),
  'the tab is closed until the task has ended: its outcome, which the backend knows': whole(
    async (visitor, { way }) => {
      withoutPush(visitor, way)
      const page = await begin(visitor, 'Q3')
      await page.close()
      for (let polls = -1; polls !== visitor.asked('tasks/get'); ) {
        polls = visitor.asked('tasks/get')
        await pause(6000)
      }
      const polls = visitor.asked('tasks/get')
      await shows(await visitor.open(), 'Q3')
      strictEqual(visitor.asked('tasks/get'), polls)
      calledOnce(visitor)
    },
  ),
  'back and forward: the same task': whole(async (visitor) => {
    const page = await begin(visitor, 'Q3')
    await page.goto('about:blank')
    await page.goBack()
    await untilProgress(page, 0)
    await page.goto('about:blank')
    await page.goBack()
    await shows(page, 'Q3')
    calledOnce(visitor)
  }),
}

const REQUESTS = {
  'reload between tools/call and its response: the outcome of the call': whole(async (visitor, { way }) => {
    const release = way.fault(visitor.name, 'tools/call', 'hold')
    const page = await visitor.open()
    await generate(page, 'Q3')
    await untilAsked(visitor, 'tools/call', 1)
    await page.reload()
    await page.getByText('Starting…').waitFor()
    release()
    await shows(page, 'Q3')
    calledOnce(visitor)
  }),
  'the response to a tools/call is lost: sent again, and the tool runs once': whole(async (visitor, stage) => {
    stage.way.fault(visitor.name, 'tools/call', 'lose')
    const page = await visitor.open()
    await generate(page, 'Q3')
    await shows(page, 'Q3')
    strictEqual(visitor.asked('tools/call'), 2)
    ranOnce(visitor, stage)
  }),
  'reload with an input request open: the input request, once, and not after the answer': whole(async (visitor) => {
    const page = await begin(visitor, 'Q2')
    await answerButton(page).waitFor()
    await page.reload()
    await answerButton(page).waitFor()
    strictEqual(await answerButton(page).count(), 1)
    await answerButton(page).click()
    await page.reload()
    await shows(page, 'Q2')
    await page.reload()
    await shows(page, 'Q2')
    strictEqual(await answerButton(page).count(), 0)
    strictEqual(visitor.asked('tasks/update'), 1)
    calledOnce(visitor)
  }),
  'the user answers in a tab that has just woken: one answer': whole(async (visitor) => {
    const page = await begin(visitor, 'Q2')
    await answerButton(page).waitFor()
    const other = await visitor.open()
    await answerButton(other).waitFor()
    const session = await visitor.context.newCDPSession(page)
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await answerButton(other).click()
    await shows(other, 'Q2')
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    // Where the form is gone already, nobody can press its button.
    await answerButton(page)
      .click({ timeout: 300 })
      .catch(() => {})
    await shows(page, 'Q2')
    strictEqual(visitor.asked('tasks/update'), 1)
    calledOnce(visitor)
  }),
}

const NETWORKS = {
  'no network for a while: afterwards the outcome': whole(async (visitor) => {
    const page = await begin(visitor, 'Q3')
    await visitor.context.setOffline(true)
    await pause(12_000)
    strictEqual(await page.getByText(REPORT).count(), 0)
    await visitor.context.setOffline(false)
    await shows(page, 'Q3')
    calledOnce(visitor)
  }),
  'a call that is started without a network: sent once, when it is back': whole(async (visitor) => {
    const page = await visitor.open()
    await visitor.context.setOffline(true)
    await generate(page, 'Q3')
    await page.getByText('You are offline. Waiting for the network.').waitFor()
    await pause(3000)
    strictEqual(visitor.asked('tools/call'), 0)
    await visitor.context.setOffline(false)
    await shows(page, 'Q3')
    calledOnce(visitor)
  }),
  '5xx, 429, lost responses: the outcome, and no poll before Retry-After': whole(async (visitor, { way }) => {
    withoutPush(visitor, way)
    way.fault(visitor.name, 'tasks/get', { status: 503 }, 'lose', { status: 429, headers: { 'retry-after': '4' } })
    const page = await begin(visitor, 'Q3')
    await untilAsked(visitor, 'tasks/get', 4)
    const [, , refused, next] = way.of(visitor.name, 'tasks/get')
    ok((next?.at ?? 0) - (refused?.at ?? 0) >= 3990, 'the poll after Retry-After came early')
    await shows(page, 'Q3')
    calledOnce(visitor)
  }),
  '401: polling continues as soon as requests succeed': whole(async (visitor, { way }) => {
    withoutPush(visitor, way)
    way.fault(visitor.name, 'tasks/get', { status: 401 }, { status: 401 })
    const page = await begin(visitor, 'Q3')
    await shows(page, 'Q3')
    ok(visitor.asked('tasks/get') > 2)
    calledOnce(visitor)
  }),
}

const TABS = {
  'several tabs: one tools/call, one stream, the same state; another takes over the stream': whole(async (visitor) => {
    let streams = 0
    visitor.context.on('request', (request) => {
      if (request.method() === 'GET' && new URL(request.url()).pathname === '/mcp') streams += 1
    })
    const first = await visitor.open()
    const [second, third] = [await visitor.open(), await visitor.open()]
    await generate(second, 'Q3')
    for (const page of [first, second, third]) await untilProgress(page, 0)
    strictEqual(streams, 1, `the tabs have opened ${streams} streams`)
    await first.close()
    for (const page of [second, third]) await shows(page, 'Q3')
    strictEqual(streams, 2)
    calledOnce(visitor)
  }),
  'cancel() cut off by a reload: requested again': whole(async (visitor, { way }) => {
    const page = await begin(visitor, 'Q2')
    way.fault(visitor.name, 'tasks/cancel', { status: 503 })
    await cancelButton(page).click()
    await page.reload()
    await page.getByRole('status').getByText('The report was cancelled.').waitFor()
    strictEqual(visitor.asked('tasks/cancel'), 2)
    calledOnce(visitor)
  }),
  'cancel() right after a reload: the task of the earlier page is cancelled': whole(async (visitor) => {
    const page = await begin(visitor, 'Q2')
    await page.reload()
    await cancelButton(page).click()
    await page.getByRole('status').getByText('The report was cancelled.').waitFor()
    calledOnce(visitor)
  }),
  'two users: they see nothing of each other, and who is not signed in sees nothing': whole(async (visitor, stage) => {
    const page = await begin(visitor, 'Q3')
    const other = await stage.visitor(`${visitor.name}-other`)
    const theirs = await other.open()
    await generate(theirs, 'Q4')
    await alerts(theirs, 'There are no sales of Q4 yet.')
    await theirs.reload()
    await alerts(theirs, 'There are no sales of Q4 yet.')
    await shows(page, 'Q3')
    strictEqual(await theirs.getByText(REPORT).count(), 0)
    strictEqual(await theirs.getByRole('progressbar').count(), 0)
    strictEqual(await alert(page).count(), 0)
    await other.context.clearCookies()
    await theirs.reload()
    await generate(theirs, 'Q3')
    await alerts(theirs, 'Sign in to see your calls.')
    await other.context.close()
    strictEqual(other.asked('tools/call'), 1)
    calledOnce(visitor)
  }),
}

const GOES_ON = 'the backend is killed while a task runs: the page continues'
const CLOSED = 'the backend is killed while a task runs and no page is open: the next page has the outcome'
const NEWER = 'the record of a newer version of the app: left alone, and the tool is not run again'
const CORRUPT = 'a corrupt record: the app continues without the call'

const KILLED_AT_WORK: Readonly<Record<string, Walk>> = {
  [GOES_ON]: async (visitor) => {
    const page = await begin(visitor, 'Q3')
    return async () => {
      await shows(page, 'Q3')
      calledOnce(visitor)
    }
  },
  [CLOSED]: async (visitor) => {
    const page = await begin(visitor, 'Q3')
    await page.close()
    return async () => {
      await pause(12_000)
      await shows(await visitor.open(), 'Q3')
      calledOnce(visitor)
    }
  },
  'the backend is killed between tools/call and its response: sent again, and the tool runs once': async (
    visitor,
    stage,
  ) => {
    const release = stage.way.fault(visitor.name, 'tools/call', 'hold')
    const page = await visitor.open()
    await generate(page, 'Q3')
    await untilAsked(visitor, 'tools/call', 1)
    return async () => {
      release()
      await shows(page, 'Q3')
      strictEqual(visitor.asked('tools/call'), 2)
      ranOnce(visitor, stage)
    }
  },
  'the backend is killed during a cancellation: requested again': async (visitor, { way }) => {
    const page = await begin(visitor, 'Q2')
    way.fault(visitor.name, 'tasks/cancel', 'swallow')
    await cancelButton(page).click()
    await untilAsked(visitor, 'tasks/cancel', 1)
    return async () => {
      await page.getByRole('status').getByText('The report was cancelled.').waitFor()
      calledOnce(visitor)
    }
  },
  [NEWER]: async (visitor) => {
    await begin(visitor, 'Q3')
    return async () => {
      const next = await visitor.open()
      await generate(next, 'Q3')
      await alerts(next, 'newer version')
      calledOnce(visitor)
    }
  },
  [CORRUPT]: async (visitor) => {
    await begin(visitor, 'Q3')
    return async () => {
      const next = await visitor.open()
      await generate(next, 'Q1')
      await shows(next, 'Q1')
    }
  },
}

/** While the backend is down: what a newer version has written, and a faulty disk. */
async function changeRecords({ records }: Stage): Promise<void> {
  for (const folder of await readdir(records)) {
    for (const file of await readdir(join(records, folder))) {
      const path = join(records, folder, file)
      const text = await readFile(path, 'utf8')
      ok(!text.includes(REPORT), `a result is in ${path}`)
      const { scope, v, task } = JSON.parse(text)
      const isOf = (...promises: string[]) => promises.some((promise) => visitorOf(promise) === scope)
      if (isOf(GOES_ON, CLOSED)) strictEqual(task.status, 'working', 'the kill came too late')
      if (isOf(NEWER)) await writeFile(path, JSON.stringify({ ...JSON.parse(text), v: v + 1 }))
      if (isOf(CORRUPT)) await writeFile(path, text.slice(0, text.length / 2))
    }
  }
}

const KILLED_LATER: Readonly<Record<string, Walk>> = {
  'the backend is killed with an input request open, and the page is loaded again: once': async (visitor) => {
    const page = await begin(visitor, 'Q2')
    await answerButton(page).waitFor()
    return async () => {
      await page.reload()
      await answerButton(page).waitFor()
      strictEqual(await answerButton(page).count(), 1)
      await answerButton(page).click()
      await shows(page, 'Q2')
      strictEqual(await answerButton(page).count(), 0)
      strictEqual(visitor.asked('tasks/update'), 1)
      calledOnce(visitor)
    }
  },
  'the backend is killed after a task has ended: its outcome, fetched with one tasks/get': async (visitor) => {
    const page = await begin(visitor, 'Q3')
    await shows(page, 'Q3')
    return async () => {
      const polls = visitor.asked('tasks/get')
      await page.reload()
      await shows(page, 'Q3')
      strictEqual(visitor.asked('tasks/get'), polls + 1)
      calledOnce(visitor)
    }
  },
}

const SERVER_KILLED: Readonly<Record<string, Walk>> = {
  'the server loses the task: an error that says so, also after a reload, until it is made again': async (visitor) => {
    const page = await begin(visitor, 'Q3')
    return async () => {
      await alert(page).waitFor()
      const said = `${await alert(page).textContent()}`
      match(said, LOST)
      const polls = visitor.asked('tasks/get')
      await page.reload()
      await alerts(page, said)
      strictEqual(visitor.asked('tasks/get'), polls)
      calledOnce(visitor)
      await generate(page, 'Q3')
      await shows(page, 'Q3')
    }
  },
}

const STORAGE_FAILS: Readonly<Record<string, Walk>> = {
  'a storage that fails: the call continues': async (visitor) => async () => {
    const page = await begin(visitor, 'Q3')
    await page.reload()
    await shows(page, 'Q3')
    calledOnce(visitor)
  },
}

async function breakStorage({ records }: Stage): Promise<void> {
  await rm(records, { recursive: true })
  await writeFile(records, 'a file in the place of the folder')
}

const nothing = async () => {}

export const GROUPS: readonly Group[] = [
  ...[RELOADS, REQUESTS, NETWORKS, TABS].map((walks) => ({ walks, between: nothing })),
  { walks: KILLED_AT_WORK, between: (stage) => stage.killBackend(() => changeRecords(stage)) },
  { walks: KILLED_LATER, between: (stage) => stage.killBackend() },
  { walks: SERVER_KILLED, between: (stage) => stage.killServer() },
  { walks: STORAGE_FAILS, between: (stage) => stage.killBackend(() => breakStorage(stage)) },
]
