import { resolve } from 'node:path'
import { act, fireEvent, render, screen, within } from '@testing-library/react'
import { createElicitationForm, type ElicitationSource } from 'taskwire/forms'
import type { PendingInputRequest } from 'taskwire/react'
import { build, type Plugin } from 'vite'
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ElicitationForm } from '../docs/examples/forms/ElicitationForm.js'
import { showElicitationForm } from '../docs/examples/forms/showElicitationForm.js'
import { components } from './setup/components.js'
import { svelte } from './setup/svelte.js'
import { callThatAsks, formRequest, urlRequest } from './support/askingCall.js'

/** Shows the form in `parent`. Returns a function that takes it away. */
type Mount = (parent: Element, source: ElicitationSource) => () => unknown

const mounts: Record<string, Mount> = {
  React: (container, source) => {
    const pending = { ...source, call: source.client.getToolCallState(source.callId) }
    return render(<ElicitationForm {...(pending as PendingInputRequest)} />, { container }).unmount
  },
  'plain DOM': showElicitationForm,
}

const ENTRY = `
import { createApp } from 'vue'
import { flushSync, mount, unmount } from 'svelte'
import Vue from '${resolve('docs/examples/forms/ElicitationForm.vue')}'
import Svelte from '${resolve('docs/examples/forms/ElicitationForm.svelte')}'
import { createComponent } from 'solid-js'
import { render } from 'solid-js/web'
import { ElicitationForm as Solid } from '${resolve('docs/examples/forms/ElicitationForm.solid.tsx')}'
export const mounts = {
  Vue: (parent, pending) => {
    const app = createApp(Vue, { pending })
    app.mount(parent)
    return () => app.unmount()
  },
  Svelte: (target, pending) => {
    const component = mount(Svelte, { target, props: { pending } })
    flushSync()
    return () => unmount(component)
  },
  Solid: (parent, pending) => render(() => createComponent(Solid, { pending }), parent),
}`

beforeAll(async () => {
  const entry: Plugin = {
    name: 'entry',
    // Inside of the project, so that packages are found from there.
    resolveId: (id) => (/(^|[\\/])entry$/.test(id) ? resolve('entry.js') : undefined),
    load: (id) => (id === resolve('entry.js') ? ENTRY : undefined),
  }
  const built = await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { tsconfigPaths: true, conditions: ['svelte', 'browser', 'module', 'import'] },
    plugins: [entry, svelte(), components()],
    build: { write: false, minify: false, lib: { entry: 'entry', formats: ['iife'], name: 'built' } },
  })
  const [chunk] = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  const code = chunk?.type === 'chunk' ? chunk.code : ''
  Object.assign(mounts, new Function(`${code}; return built.mounts`)())
}, 120_000)

afterEach(() => sessionStorage.clear())

const SCHEMA = {
  type: 'object',
  properties: {
    reason: { type: 'string', title: 'Reason', description: 'Goes into the log.', minLength: 3 },
    copies: { type: 'integer', title: 'Copies', maximum: 12, default: 3 },
    dry: { type: 'boolean', title: 'Dry run', default: true },
    channel: { type: 'string', title: 'Channel', enum: ['a', 'b'], enumNames: ['Alpha', 'Beta'], default: 'b' },
    regions: { type: 'array', title: 'Regions', items: { enum: ['Europe', 'Asia'] }, minItems: 1 },
    tree: { type: 'object', title: 'Tree' },
  },
  required: ['reason', 'channel', 'regions'],
}

it('the button has the focus where no field is wrong and the answer was not taken, also one without a type', async () => {
  const { source, respond } = callThatAsks(formRequest({ type: 'object', properties: {} }))
  respond.mockRejectedValueOnce(new Error('Not on a Friday'))
  const form = createElicitationForm(source)
  const { container } = render(
    <form onSubmit={form.onSubmit}>
      <button type="button">Decline</button>
      {/* biome-ignore lint/a11y/useButtonType: this is what is tested */}
      <button>Submit</button>
    </form>,
  )
  await act(async () => void fireEvent.submit(container.querySelector('form') as HTMLFormElement))
  expect(document.activeElement).toBe(screen.getByText('Submit'))
})

it('a field that is wrong has the focus in a web component, too', async () => {
  const { source } = callThatAsks(formRequest(SCHEMA))
  const host = document.body.appendChild(document.createElement('div'))
  const root = host.attachShadow({ mode: 'open' })
  const parent = root.appendChild(document.createElement('main'))
  const unmount = showElicitationForm(parent, source)
  onTestFinished(() => {
    unmount()
    host.remove()
  })
  const [submit, reason] = ['[type=submit]', 'input'].map((one) => root.querySelector<HTMLElement>(one))
  submit?.focus()
  submit?.click()
  await act(async () => {})
  expect(reason?.getAttribute('aria-invalid')).toBe('true')
  expect(root.activeElement).toBe(reason)
  expect(document.activeElement).toBe(host)
})

describe.each(['React', 'Vue', 'Svelte', 'Solid', 'plain DOM'])('the form for %s', (name) => {
  async function open(request: ElicitationSource['request']) {
    const call = callThatAsks(request)
    const parent = document.body.appendChild(document.createElement('main'))
    const unmount = (mounts[name] as Mount)(parent, call.source)
    onTestFinished(async () => {
      await act(async () => unmount())
      // The draft of what was typed follows its call until no answer is needed.
      call.change({ inputRequests: {} })
      expect(call.listeners.size).toBe(0)
      parent.remove()
    })
    const settle = () => act(async () => {})
    await settle()
    const click = async (label: string) => {
      await act(async () => screen.getByRole('button', { name: label }).click())
    }
    return { ...call, click, settle, page: within(parent) }
  }

  /** What is read out beside a control. */
  const beside = (control: HTMLElement) =>
    (control.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .flatMap((id) => (id === '' ? [] : (document.getElementById(id)?.textContent ?? `no ${id}`)))

  it('shows fields with labels, descriptions and defaults, and sends what is filled in', async () => {
    const { page, settle, click, sent } = await open(formRequest(SCHEMA))
    expect(page.getByRole('group', { name: /^Reports \(example\.com\) asks/ })).toBeDefined()
    expect(page.getByRole('group', { name: 'Regions' })).toBeDefined()
    expect(page.getByText('Tree (optional)')).toBeDefined()
    const reason = page.getByLabelText('Reason')
    expect(beside(reason)).toEqual(['Goes into the log.'])
    expect(page.getByLabelText('Copies (optional)')).toHaveProperty('value', '3')
    expect(page.getByLabelText('Dry run')).toHaveProperty('checked', true)
    expect(page.getByLabelText('Channel')).toHaveProperty('value', 'b')
    fireEvent.input(reason, { target: { value: 'Fixes it' } })
    fireEvent.click(page.getByLabelText('Dry run'))
    fireEvent.change(page.getByLabelText('Channel'), { target: { value: 'a' } })
    fireEvent.click(page.getByLabelText('Asia'))
    await settle()
    expect(page.getByLabelText('Asia')).toHaveProperty('checked', true)
    expect(page.getByLabelText('Dry run')).toHaveProperty('checked', false)
    await click('Submit')
    const content = { reason: 'Fixes it', copies: 3, dry: false, channel: 'a', regions: ['Asia'] }
    expect(sent()).toEqual([{ action: 'accept', content }])
    expect(page.getByRole('status').textContent).toBe('Sent.')
  })

  it('says beside the fields what is wrong, keeps what was typed, and focuses the first of them', async () => {
    const { page, settle, click, sent } = await open(formRequest(SCHEMA))
    const reason = page.getByLabelText('Reason')
    const copies = page.getByLabelText('Copies (optional)')
    fireEvent.input(copies, { target: { value: '13 or so' } })
    fireEvent.click(page.getByLabelText('Europe'))
    await settle()
    reason.focus()
    await click('Submit')
    expect(sent()).toEqual([])
    expect(beside(reason)).toEqual(['Goes into the log.', 'This field is required.'])
    expect(beside(copies)).toEqual(['Enter a whole number.'])
    expect([reason, copies].map((field) => field.getAttribute('aria-invalid'))).toEqual(['true', 'true'])
    expect(page.getByRole('alert').textContent).toMatch('Check the marked fields')
    expect(copies).toHaveProperty('value', '13 or so')
    expect(document.activeElement).toBe(reason)
    fireEvent.input(reason, { target: { value: 'Fixes it' } })
    fireEvent.input(copies, { target: { value: '12' } })
    await settle()
    expect(reason.getAttribute('aria-invalid')).toBeNull()
    expect(page.getByRole('alert').textContent).toBe('')
    expect(page.getByLabelText('Reason')).toBe(reason)
  })

  it('is locked while the answer is sent, and says why it was not taken', async () => {
    const { page, click, settle, respond } = await open(formRequest({ type: 'object', properties: {} }))
    let refuse = (_: Error) => {}
    respond.mockReturnValueOnce(
      new Promise((_, reject) => {
        refuse = reject
      }),
    )
    await click('Submit')
    expect(page.getByRole('group')).toHaveProperty('disabled', true)
    expect(page.getByRole('status').textContent).toBe('Sending…')
    await act(async () => refuse(new Error('Not on a Friday')))
    await settle()
    expect(page.getByRole('group')).toHaveProperty('disabled', false)
    expect(page.getByRole('alert').textContent).toBe('Not on a Friday')
  })

  it('says that an answer is not wanted any more', async () => {
    const { page, change, settle } = await open(formRequest({ type: 'object', properties: {} }))
    await act(async () => change({ inputRequests: {} }))
    await settle()
    expect(page.getByRole('status').textContent).toMatch('No answer is needed')
    expect(page.getByRole('group')).toHaveProperty('disabled', true)
  })

  it('shows a whole address with its host apart, and takes a click on it for consent', async () => {
    const { page, sent } = await open(urlRequest('https://google.com@evil.example/a'))
    const link = page.getByRole('link', { name: 'https://google.com@evil.example/a' })
    expect(link.querySelector('strong')?.textContent).toBe('evil.example')
    expect([link.getAttribute('target'), link.getAttribute('rel')]).toEqual(['_blank', 'noopener noreferrer'])
    expect(page.queryByRole('button', { name: 'Submit' })).toBeNull()
    expect(sent()).toEqual([])
    await act(async () => void fireEvent.click(link))
    expect(sent()).toEqual([{ action: 'accept' }])
  })

  it('takes a click of the middle button for consent, which opens a tab, and none of the right button', async () => {
    const { page, sent } = await open(urlRequest('https://evil.example/a'))
    const link = page.getByRole('link')
    const clickWith = (button: number) =>
      act(async () => void fireEvent(link, new MouseEvent('auxclick', { bubbles: true, button })))
    await clickWith(2)
    expect(sent()).toEqual([])
    await clickWith(1)
    expect(sent()).toEqual([{ action: 'accept' }])
  })

  it('has no link where the address is none to open', async () => {
    const { page, click, sent } = await open(urlRequest('javascript:alert(1)'))
    expect(page.queryByRole('link')).toBeNull()
    expect(page.getByRole('alert').textContent).toMatch('not safe')
    await click('Decline')
    expect(sent()).toEqual([{ action: 'decline' }])
  })
})
