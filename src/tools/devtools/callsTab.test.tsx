import { createTaskClient, type TaskClient } from 'taskwire'
import { createTestServer, scriptTask, type TestServer } from 'taskwire/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PATIENCE } from '../../../test/support/patience.js'
import { type SimulatedFrames, simulateFrames } from '../../../test/support/simulatedFrames.js'
import { mountTaskwireDevtools, type TaskwireDevtools } from './mountTaskwireDevtools.js'

let server: TestServer
let frames: SimulatedFrames
let mounted: TaskwireDevtools | undefined

beforeEach(() => {
  frames = simulateFrames()
  vi.spyOn(Date, 'now').mockImplementation(() => server.browser.now())
  server = createTestServer({
    tools: [
      scriptTask([{ status: 'working', statusMessage: 'Adding up' }], { name: 'report' }),
      scriptTask([{ status: 'completed', result: { content: [{ type: 'text', text: '1,234' }] } }], { name: 'total' }),
    ],
  })
})

afterEach(() => {
  mounted?.unmount()
  mounted = undefined
  sessionStorage.clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function open(url: string | URL = server.url): TaskClient {
  return createTaskClient({ url, environment: server.browser.openPage().environment, push: false })
}

function mount(...clients: readonly TaskClient[]): void {
  mounted = mountTaskwireDevtools(clients, { initialIsOpen: true })
}

/** Lets time pass, and draws. */
async function advance(ms: number): Promise<void> {
  await server.advance(ms)
  draw()
}

const draw = () => frames.draw()

const shadow = (): ShadowRoot => document.querySelector('taskwire-devtools')?.shadowRoot as ShadowRoot
const all = (selector: string): HTMLElement[] => [...shadow().querySelectorAll<HTMLElement>(selector)]
const one = (selector: string): HTMLElement => shadow().querySelector(selector) as HTMLElement
const button = (name: string) => all('button').find(({ textContent }) => textContent === name) as HTMLButtonElement
const titles = () => all('[role=option] .title').map(({ textContent }) => textContent)
const body = (title: string) =>
  all('.bodies section').find(({ hidden, textContent }) => !hidden && textContent?.startsWith(title))

/** What the user types into the filter. */
function filter(text: string): void {
  const input = one('.calls-bar [type=search]') as HTMLInputElement
  input.value = text
  input.dispatchEvent(new Event('input'))
  draw()
}

describe('the calls of the devtools', () => {
  it('have the name that the app has noted, their key, arguments, meta and result', async () => {
    const client = open()
    mount(client)
    client.startToolCall(
      { name: 'total', arguments: { quarter: 'Q3' } },
      { key: 'total-Q3', meta: { title: 'Total of Q3' } },
    )
    await advance(5000)
    expect(titles()).toEqual(['Total of Q3'])
    expect(one('.facts').textContent).toMatch(/Tooltotal.*Keytotal-Q3/)
    expect(body('Arguments')?.textContent).toContain('"quarter": "Q3"')
    expect(body('Noted by the app')?.textContent).toContain('"title": "Total of Q3"')
    expect(body('Result')?.textContent).toContain('"text": "1,234"')
    expect(body('Error')).toBeUndefined()
  })

  it('can be cancelled, called again and forgotten', async () => {
    const client = open()
    mount(client)
    client.startToolCall({ name: 'report', arguments: { quarter: 'Q3' } }, { key: 'k' }).result.catch(() => {})
    await advance(3000)
    button('Cancel').click()
    await advance(3000)
    const state = () => client.getToolCallState(client.toolCallId('report', 'k'))
    expect(state()?.phase).toBe('cancelled')
    expect(body('Error')?.textContent).toContain('TaskCancelledError')
    expect(button('Cancel').disabled).toBe(true)
    button('Call again').click()
    await advance(3000)
    expect(state()).toMatchObject({ phase: 'working', arguments: { quarter: 'Q3' }, key: 'k' })
    expect(server.count('tools/call')).toBe(2)
    button('Forget').click()
    await advance(100)
    expect(state()).toBeUndefined()
    expect(titles()).toEqual([])
  })

  it('cannot be called again where their arguments are not known, as after a reload', async () => {
    const page = server.browser.openPage()
    createTaskClient({ url: server.url, environment: page.environment }).startToolCall({ name: 'report' }, { key: 'k' })
    await server.advance(3000)
    await page.close()
    const client = open()
    mount(client)
    await client.resumeToolCalls()
    await advance(1000)
    expect(button('Call again')).toMatchObject({ disabled: true, title: expect.stringMatching(/not stored/) })
  })

  it('are found by tool, key, meta and phase', async () => {
    const client = open()
    mount(client)
    client.startToolCall({ name: 'report' }, { key: 'report-Q3', meta: { title: 'Of the third quarter' } })
    client.startToolCall({ name: 'total' }, { key: 'other' })
    await advance(5000)
    expect(titles()).toHaveLength(2)
    for (const wanted of ['report', 'REPORT-Q3', 'third', 'working']) {
      filter(wanted)
      expect(titles()).toEqual(['Of the third quarter'])
    }
    filter('nothing of this kind')
    expect(titles()).toEqual([])
    filter('')
    expect(titles()).toHaveLength(2)
  })

  it('that have ended go when the list is cleared, and what was observed with them', async () => {
    const client = open()
    mount(client)
    client.startToolCall({ name: 'report' })
    client.startToolCall({ name: 'total' })
    await advance(5000)
    button('Clear').click()
    draw()
    expect(titles()).toEqual(['report'])
    expect(all('.timeline tbody tr')).toEqual([])
    client.startToolCall({ name: 'total' })
    await advance(5000)
    expect(titles()).toEqual(['total', 'report'])
  })

  it('are listed from the last to the first, also those of a batch that was started at once', async () => {
    const client = open()
    mount(client)
    for (const title of ['Shot 1', 'Shot 2', 'Shot 3']) {
      client.startToolCall({ name: 'report' }, { key: title, meta: { title } })
    }
    await advance(3000)
    expect(titles()).toEqual(['Shot 3', 'Shot 2', 'Shot 1'])
  })

  it('name their server where there are several, and each server has a header of its own', async () => {
    const other = new URL('https://other.example/mcp')
    const clients = [open(), open(other)]
    mount(...clients)
    clients[0]?.startToolCall({ name: 'report' })
    await advance(3000)
    const place = new URL(server.url).host
    expect(one('.facts').textContent).toContain(`Server${place}`)
    expect(one('[role=option] .text').textContent).toMatch(new RegExp(`^${place}\\S* · Adding up$`))
    const headers = all('.summary li').map(({ textContent }) => textContent)
    expect(headers[0]).toContain(place)
    expect(headers[1]).toContain('other.example/mcp')
  })
})

async function load(text: string): Promise<void> {
  const input = one('.calls-bar [type=file]') as HTMLInputElement
  Object.defineProperty(input, 'files', { configurable: true, value: [{ text: async () => text }] })
  input.dispatchEvent(new Event('change'))
  await vi.waitFor(() => expect(frames.waiting() + one('.loaded').textContent.length).toBeGreaterThan(0), PATIENCE)
  draw()
}

/** A recording of these events. */
function recordingOf(...events: readonly object[]): string {
  const steps = events.map((event) => ({ at: 0, in: 'tab1', text: '', event }))
  return JSON.stringify({ format: 'taskwire-recording', version: 1, title: '', startedAt: 0, steps })
}

describe('a recording in a file', () => {
  /** The file that the button saves. */
  async function exported(): Promise<string> {
    const blobs: Blob[] = []
    vi.stubGlobal(
      'URL',
      Object.assign(URL, { createObjectURL: (blob: Blob) => `blob:${blobs.push(blob)}`, revokeObjectURL() {} }),
    )
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
    button('Export').click()
    await Promise.resolve()
    return new Promise((resolve) => {
      const reader = new FileReader()
      reader.onload = () => resolve(String(reader.result))
      reader.readAsText(blobs[0] as Blob)
    })
  }

  it('has what happened to the calls, without arguments, results and ids, and can be loaded in another page', async () => {
    const client = open()
    mount(client)
    const call = client.startToolCall({ name: 'report', arguments: { secret: 'of the user' } }, { key: 'k' })
    await advance(5000)
    const before = all('.timeline tbody tr').map(({ textContent }) => textContent)
    const text = await exported()
    expect(text).not.toContain('of the user')
    expect(text).not.toContain(call.getState().task?.taskId)
    mounted?.unmount()
    sessionStorage.clear()
    mount(open())
    draw()
    expect(titles()).toEqual([])
    await load(text)
    expect(titles()).toEqual(['report'])
    expect(one('.facts').textContent).toMatch(/Keykey-1.*Serverfrom a file/)
    expect(one('.option').textContent).toContain('from a file')
    expect(all('.timeline tbody tr').map(({ textContent }) => textContent)).toEqual(before)
    expect(button('Cancel').hidden).toBe(true)
  })

  it.each([
    ['no JSON', 'This file is not JSON.'],
    ['{"some":"file"}', 'This file is not a recording of the Taskwire devtools.'],
    ['{"format":"taskwire-recording","version":1}', 'This recording is damaged.'],
    ...['null', '{"event":7}', '{"event":{"type":"call"}}', '{"event":{"type":"shows","callId":"a"}}'].map((step) => [
      `{"format":"taskwire-recording","version":1,"startedAt":0,"steps":[${step}]}`,
      'This recording is damaged.',
    ]),
    ...[
      { type: 'poll-failed', at: 1, callId: 'a', ms: 1 },
      { type: 'poll-answered', at: 1, callId: 'a' },
      { type: 'call-sent', at: 1e300, callId: 'a' },
      { type: 'input-asked', at: 1, callId: 'a', inputKey: { toString: 1 } },
      { type: 'task-created', at: 1, callId: 'a', ttlMs: { toString: 1 } },
      { type: 'poll-failed', at: 1, callId: 'a', ms: 1, error: { message: { toString: 1 } } },
    ].map((observation) => [recordingOf({ type: 'call', observation }), 'This recording is damaged.']),
    ...[
      { name: 'report', startedAt: 1, key: { toString: 1 } },
      { name: 'report', startedAt: 1, endedAt: 'later' },
    ].map((state) => [recordingOf({ type: 'shows', callId: 'a', state }), 'This recording is damaged.']),
  ])('is refused in words where it is %s', async (text, words) => {
    mount(open())
    draw()
    await load(text)
    expect(one('.loaded').textContent).toBe(words)
    expect(titles()).toEqual([])
  })
})

describe('recordings in files', () => {
  it('leave the call chosen that was chosen when another one is loaded', async () => {
    mount(open())
    draw()
    const file = (name: string) =>
      recordingOf(
        ...['1', '2'].map((callId) => ({ type: 'shows', callId, state: { name: name + callId, startedAt: 1 } })),
      )
    await load(file('first'))
    all('.option')[1]?.click()
    draw()
    await load(file('second'))
    expect(titles()).toEqual(['second1', 'second2', 'first1', 'first2'])
    expect(one('.option[aria-selected=true] .title').textContent).toBe('first2')
  })

  it('show the latest of a call where somebody has made one that is far too long', async () => {
    mount(open())
    draw()
    const of = { callId: 'a', tool: 'report' }
    const polls = Array.from({ length: 60_000 }, (_, at) => {
      const answered = { type: 'poll-answered', ms: 1, status: 'working', isUnchanged: true, nextPollAt: at + 1 }
      return { type: 'call', observation: { ...of, at, ...(at % 2 ? answered : { type: 'poll-sent' }) } }
    })
    await load(recordingOf({ type: 'shows', callId: 'a', state: { name: 'report', startedAt: 1 } }, ...polls))
    expect(all('.timeline tbody tr')).toHaveLength(100)
    expect(all('.plot .poll')).toHaveLength(2500)
  })
})

describe('the panel over the page', () => {
  it('grows and shrinks by the arrow keys, and is as large after a reload', () => {
    mount(open())
    const height = vi
      .spyOn(one('#panel'), 'getBoundingClientRect')
      .mockReturnValue({ height: innerHeight / 2 } as DOMRect)
    const press = (key: string) => one('.edge').dispatchEvent(new KeyboardEvent('keydown', { key }))
    press('ArrowUp')
    expect(one('#panel').style.height).toBe('55vh')
    expect(one('.edge').getAttribute('aria-valuenow')).toBe('55')
    height.mockReturnValue({ height: innerHeight * 0.21 } as DOMRect)
    press('ArrowDown')
    expect(one('#panel').style.height).toBe('20vh')
    mounted?.unmount()
    mount(open())
    expect(one('#panel').style.height).toBe('20vh')
  })
})
