import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createTaskClient, type ElicitUrlRequest, type InputRequest, type InputResponse } from 'taskwire'
import { type PendingInputRequest, TaskClientProvider } from 'taskwire/react'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Inbox as DemoInbox } from '../../demo/app/inbox/Inbox.js'
import { Question } from '../../demo/app/inbox/Question.js'
import { ElicitationForm } from '../../docs/examples/forms/ElicitationForm.js'
import { Inbox as DocsInbox } from '../../docs/examples/Inbox.js'
import { callThatAsks } from '../support/askingCall.js'
import { created, createScriptedServer, snapshot } from '../support/scriptedServer.js'

const respond = vi.fn(async (_inputKey: string, _response: InputResponse): Promise<void> => {})
const fetched = vi.fn()
const opened = vi.fn()

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  vi.stubGlobal('open', opened)
})

afterEach(() => {
  cleanup()
  sessionStorage.clear()
  vi.clearAllMocks()
})

const asking = (url: string, message = 'Sign in to go on.'): ElicitUrlRequest => ({
  method: 'elicitation/create',
  params: { mode: 'url', message, url },
})

/** An input request of a call, and where its response goes. */
function pending(request: InputRequest): PendingInputRequest {
  const { source } = callThatAsks(request, respond)
  const call = source.client.getToolCallState(source.callId)
  return { ...source, call, respond } as unknown as PendingInputRequest
}

/** The form of the documentation, and that of the demo. */
const FORMS = {
  'docs/examples/forms/ElicitationForm.tsx': (request: InputRequest) =>
    render(<ElicitationForm {...pending(request)} />),
  'demo/app/inbox/Question.tsx': (request: InputRequest) => render(<Question question={pending(request)} />),
}

describe.each(Object.entries(FORMS))('an input request by URL in %s', (_, show) => {
  const ADDRESS = 'https://pay.example/connect/step?state=a%20b&next=/done#top'

  // [CORE-URL-SHOWN-IN-FULL]
  it.each([
    ['with path, query and fragment', ADDRESS, ADDRESS],
    [
      'with a user name that imitates a host',
      'https://bank.example@evil.example/',
      'https://bank.example@evil.example/',
    ],
    ['with a host in capitals', 'HTTPS://Pay.Example', 'https://pay.example/'],
    ['with an empty query', 'https://pay.example/?', 'https://pay.example/?'],
  ])('[EDGE-22] shows the whole address before anything is opened: %s', (__, url, shown) => {
    show(asking(url))
    expect(screen.getByRole('link', { name: shown }).textContent).toBe(shown)
    expect(respond).not.toHaveBeenCalled()
  })

  // [CORE-URL-HOST-HIGHLIGHTED]
  it.each([
    [ADDRESS, 'pay.example', 'https://'],
    ['https://bank.example@evil.example/', 'evil.example', 'https://bank.example@'],
    ['https://evil.example@evil.example/evil.example', 'evil.example', 'https://evil.example@'],
    ['https://bank.example:8443/?', 'bank.example:8443', 'https://'],
    ['https://user:pa%2Fss@127.0.0.1/@host/', '127.0.0.1', 'https://user:pa%2Fss@'],
  ])('[EDGE-22] highlights the host of %s, and nothing else', (url, host, before) => {
    show(asking(url))
    const link = screen.getByRole('link')
    const [highlighted, ...others] = link.querySelectorAll('strong')
    expect(highlighted?.textContent).toBe(host)
    expect(others).toEqual([])
    expect(highlighted?.previousSibling?.textContent).toBe(before)
  })

  // [CORE-URL-OPENED-SECURELY]
  it('[EDGE-22] opens the address in a tab of its own that cannot reach this one', () => {
    show(asking(ADDRESS))
    const link = screen.getByRole('link')
    expect(link.getAttribute('href')).toBe(new URL(ADDRESS).href)
    expect(link.getAttribute('target')).toBe('_blank')
    expect(link.getAttribute('rel')?.split(' ')).toEqual(expect.arrayContaining(['noopener', 'noreferrer']))
  })

  // [CORE-URL-NOT-FETCHED] [CORE-URL-CONSENT]
  it('[EDGE-22] neither opens nor loads anything by itself', () => {
    const { container } = show(asking(ADDRESS))
    expect(opened).not.toHaveBeenCalled()
    expect(fetched).not.toHaveBeenCalled()
    expect(container.querySelectorAll('iframe, img, embed, object, [ping]')).toHaveLength(0)
    expect(document.querySelectorAll('link[href*="pay.example"]')).toHaveLength(0)
    expect(respond).not.toHaveBeenCalled()
  })

  // [CORE-ELICIT-DECLINE]
  it.each([
    ['Decline', 'decline'],
    ['Not now', 'cancel'],
  ])('[EDGE-22] is answered "%s" by %s', async (name, action) => {
    show(asking(ADDRESS))
    await act(async () => fireEvent.click(screen.getByRole('button', { name })))
    expect(respond.mock.calls).toEqual([['key', { action }]])
  })

  // [CORE-URL-CONSENT]
  it('[EDGE-22] has the consent of the user once they open the address', async () => {
    show(asking(ADDRESS))
    await act(async () => fireEvent.click(screen.getByRole('link')))
    expect(respond.mock.calls).toEqual([['key', { action: 'accept' }]])
  })

  it('[EDGE-22] has the consent of the user also where they open it by the middle button of the mouse', async () => {
    show(asking(ADDRESS))
    const clickWith = (button: number) =>
      act(async () => fireEvent(screen.getByRole('link'), new MouseEvent('auxclick', { bubbles: true, button })))
    await clickWith(2)
    expect(respond.mock.calls).toEqual([])
    await clickWith(1)
    expect(respond.mock.calls).toEqual([['key', { action: 'accept' }]])
  })

  // [CORE-URL-SUSPICIOUS]
  it('[EDGE-22] is shown with a warning where the host is written in other letters', () => {
    // A Cyrillic а in place of the Latin one.
    show(asking('https://p\u0430y.example/'))
    expect(screen.getByText(/letters/)).toBeDefined()
    expect(screen.getByRole('link').textContent).toBe('https://xn--py-7kc.example/')
    cleanup()
    show(asking('https://example.com/xn--path'))
    expect(screen.queryByText(/letters/)).toBeNull()
  })

  // [CORE-URL-SUSPICIOUS]
  it('[EDGE-22] is shown with a warning where a user name stands before the host', () => {
    show(asking('https://bank.example@evil.example/'))
    expect(screen.getByText(/before the @/)).toBeDefined()
    expect(screen.getByRole('link').querySelector('strong')?.textContent).toBe('evil.example')
    cleanup()
    show(asking('https://evil.example/bank.example@'))
    expect(screen.queryByText(/before the @/)).toBeNull()
  })

  // [CORE-URL-NOT-CLICKABLE-ELSEWHERE]
  it('[EDGE-22] has its message as text: a URL or markup in it is no link', () => {
    show(asking(ADDRESS, 'See https://evil.example <a href="https://evil.example">here</a>'))
    expect(screen.getAllByRole('link')).toHaveLength(1)
  })
})

it.each([
  ['docs/examples/Inbox.tsx', DocsInbox],
  ['demo/app/inbox/Inbox.tsx', DemoInbox],
])('[EDGE-22] the inbox of %s shows the address of an input request by URL, and who asks', async (_, Inbox) => {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { a: asking('https://pay.example/1') } }))
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
  })
  render(
    <TaskClientProvider client={client}>
      <Inbox />
    </TaskClientProvider>,
  )
  client.startToolCall({ name: 'link_account' })
  await act(() => page.advance(1000))
  // Where it is a line of a list first.
  for (const row of screen.queryAllByRole('button', { expanded: false })) fireEvent.click(row)
  expect(screen.getByRole('link', { name: 'https://pay.example/1' })).toBeDefined()
  // [CORE-ELICIT-SERVER-SHOWN]
  expect(screen.getByText(/(Reports \(example\.com\)|The server of this demo) asks/)).toBeDefined()
})
