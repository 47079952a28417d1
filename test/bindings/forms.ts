import type { ToolCallState } from 'taskwire'
import { expect } from 'vitest'
import { callThatAsks, formRequest, urlRequest } from '../support/askingCall.js'
import type { ShownBy } from './binding.js'
import type { Behaviour, World } from './world.js'

type Form = ShownBy['useElicitationForm']

const REQUEST = formRequest({
  type: 'object',
  properties: {
    reason: { type: 'string', title: 'Reason' },
    copies: { type: 'integer', title: 'Copies', default: 3, minimum: 0 },
    dry: { type: 'boolean', title: 'Dry run' },
    channel: { type: 'string', title: 'Channel', enum: ['a', 'b'] },
    regions: { type: 'array', title: 'Regions', items: { enum: ['Europe', 'Asia'] } },
  },
  required: ['reason'],
})

function show({ kind, status, fields, problem, statusText }: Form): string {
  const values = fields.map(
    ({ label, value, error }) => `${label} ${JSON.stringify(value)}${error ? ` (${error})` : ''}`,
  )
  return [kind, status, ...values, problem, statusText].filter((text) => text !== '').join('; ')
}

function open({ mount }: World, request = REQUEST) {
  const call = callThatAsks(request)
  return { ...call, view: mount('useElicitationForm', call.source, show) }
}

function fieldOf(form: Form, name: string): Form['fields'][number] {
  return form.fields.find((field) => field.name === name) ?? expect.fail(`There is no field ${name}.`)
}

/** The props of the one control of a field. */
function inputPropsOf(form: Form, name: string) {
  const field = fieldOf(form, name)
  if (field.kind === 'choices' || field.kind === 'unsupported') return expect.fail(`${name} has no control.`)
  return form.inputProps(field)
}

/** Does what a control does when its user types or chooses. */
function change(props: object, target: { value?: string; checked?: boolean } = {}): void {
  const listener = Object.entries(props).find(([name]) => /^on(change|input)$/i.test(name))?.[1]
  listener({ target })
}

function type({ view }: ReturnType<typeof open>, name: string, value: string): void {
  change(inputPropsOf(view.shown, name), { value })
}

/** What the form of an input request does in every framework. */
export const forms: readonly Behaviour[] = [
  {
    name: 'useElicitationForm shows the fields with their defaults, and sends what is filled in',
    async run(world) {
      const page = open(world)
      expect(page.view.text).toBe('form; open; Reason ""; Copies "3"; Dry run false; Channel ""; Regions []')
      await world.act(() => type(page, 'reason', 'Fixes it'))
      await world.act(() => type(page, 'copies', '4'))
      // With props of before, as where the user is faster than a render.
      const dry = inputPropsOf(page.view.shown, 'dry')
      await world.act(() => change(dry, { checked: true }))
      await world.act(() => change(dry, { checked: false }))
      expect(page.view.text).toMatch('Dry run false')
      await world.act(() => change(dry, { checked: true }))
      await world.act(() => type(page, 'channel', 'b'))
      await world.act(() => page.view.shown.toggle('regions', 'Asia'))
      expect(page.view.text).toBe(
        'form; open; Reason "Fixes it"; Copies "4"; Dry run true; Channel "b"; Regions ["Asia"]',
      )
      await world.act(() => page.view.shown.submit())
      const content = { reason: 'Fixes it', copies: 4, dry: true, channel: 'b', regions: ['Asia'] }
      expect(page.sent()).toEqual([{ action: 'accept', content }])
      expect(page.view.text).toMatch(/; accepted; .*; Sent\.$/)
    },
  },
  {
    name: 'useElicitationForm has the props of a control: what a field is, what is filled in, and what listens to it',
    async run(world) {
      const { view } = open(world)
      const lower = (props: object) =>
        Object.fromEntries(Object.entries(props).flatMap(([name, value]) => [[name.toLowerCase(), value]]))
      const inputOf = (name: string) => lower(inputPropsOf(view.shown, name))
      const { id } = fieldOf(view.shown, 'reason')
      expect(inputOf('reason')).toMatchObject({ id, name: id, type: 'text', required: true, value: '' })
      expect(inputOf('copies')).toMatchObject({ inputmode: 'numeric', required: false, value: '3' })
      expect(inputOf('dry')).toMatchObject({ type: 'checkbox', checked: false })
      expect(inputOf('channel')).toMatchObject({ value: '' })
      for (const [name, type] of [
        ['channel', 'radio'],
        ['regions', 'checkbox'],
      ] as const) {
        const field = fieldOf(view.shown, name)
        if (field.kind !== 'choice' && field.kind !== 'choices') return expect.fail(`${name} has no options.`)
        const { options } = field
        const propsOf = () => options.map((option) => view.shown.optionProps(field, option))
        expect(propsOf().map(lower)).toMatchObject(
          options.map(({ id, value }) => ({ id, type, value, checked: false })),
        )
        await world.act(() => change(propsOf()[1] ?? {}))
      }
      expect(view.text).toMatch('Channel "b"; Regions ["Asia"]')
    },
  },
  {
    name: 'useElicitationForm keeps what was typed over a poll, which renders nothing',
    async run(world) {
      const page = open(world)
      await world.act(() => type(page, 'reason', 'Fixes it'))
      const { ids, renders } = { ids: page.view.shown.fields.map(({ id }) => id), renders: page.view.renders }
      await world.act(() => page.change({ task: {} } as Partial<ToolCallState>))
      expect(page.view.renders).toBe(renders)
      // As `useInputRequests()` does: another object for the same input request.
      await page.view.change({ ...page.source })
      expect(page.view.text).toMatch('Reason "Fixes it"')
      expect(page.view.shown.fields.map(({ id }) => id)).toEqual(ids)
    },
  },
  {
    name: 'useElicitationForm says by field, in the words of the app, what is wrong when the user submits, and not before',
    async run(world) {
      const page = open(world)
      await world.act(() => type(page, 'copies', '4 or so'))
      expect(page.view.text).not.toMatch(/\(|marked/)
      await world.act(() => page.view.shown.submit())
      expect(page.view.text).toMatch('Reason "" (Bitte ausfüllen.); Copies "4 or so" (Enter a whole number.)')
      expect(page.view.shown.problem).toMatch('Check the marked fields')
      expect(inputPropsOf(page.view.shown, 'reason')['aria-invalid']).toBe('true')
      await world.act(() => type(page, 'reason', 'Fixes it'))
      expect(page.view.text).toMatch('Reason "Fixes it"; Copies "4 or so" (Enter a whole number.)')
      expect(page.sent()).toEqual([])
    },
  },
  {
    name: 'useElicitationForm shows that the answer is on its way, and why it was not taken, and keeps what was typed',
    async run(world) {
      const page = open(world)
      let refuse = (_: Error) => {}
      page.respond.mockReturnValueOnce(
        new Promise((_, reject) => {
          refuse = reject
        }),
      )
      await world.act(() => type(page, 'reason', 'Fixes it'))
      await world.act(() => void page.view.shown.submit())
      expect(page.view.text).toMatch(/; sending; .*; Sending…$/)
      expect([page.view.shown.isEditable, page.view.shown.canSubmit]).toEqual([false, false])
      await world.act(() => refuse(new Error('Not on a Friday')))
      await world.advance(0)
      expect(page.view.text).toMatch(/; rejected; Reason "Fixes it"; .*; Not on a Friday$/)
      await world.act(() => page.view.shown.submit())
      expect(page.view.text).toMatch('accepted')
      expect(page.sent()).toHaveLength(2)
    },
  },
  {
    name: 'useElicitationForm declines and cancels',
    async run(world) {
      const pages = [open(world), open(world)] as const
      await world.act(() => pages[0].view.shown.decline())
      await world.act(() => pages[1].view.shown.cancel())
      expect(pages.map(({ view }) => view.shown.status)).toEqual(['declined', 'cancelled'])
      expect(pages.map(({ sent }) => sent())).toEqual([[{ action: 'decline' }], [{ action: 'cancel' }]])
    },
  },
  {
    name: 'useElicitationForm shows the address of a page to visit, and sends the consent of who opens it',
    async run(world) {
      const { view, sent } = open(world, urlRequest('http://google.com@evil.example/a'))
      expect(view.text).toBe('url; open')
      expect(view.shown.address).toMatchObject({ host: 'evil.example' })
      expect(view.shown.warnings).toHaveLength(2)
      await world.act(() => view.shown.submit())
      expect(sent()).toEqual([{ action: 'accept' }])
      const unsafe = open(world, urlRequest('javascript:alert(1)'))
      expect([unsafe.view.shown.address, unsafe.view.shown.canSubmit]).toEqual([undefined, false])
      expect(unsafe.view.text).toMatch('not safe')
    },
  },
  {
    name: 'useElicitationForm answers a call of a server, and says that the answer of another tab has come first',
    async run(world) {
      const requests = world.mount('useInputRequests', {}, ({ length }) => `${length}`)
      const ask = { name: 'ask', arguments: { questions: ['Sure?', 'Really?'] } }
      await world.act(() => void world.client.startToolCall(ask, { key: 'k' }))
      await world.advance(3000)
      expect(requests.text).toBe('2')
      const views = requests.shown.map((pending) => world.mount('useElicitationForm', pending, show))
      const [tab, key] = [world.openTab(), requests.shown[1]?.inputKey ?? '']
      await world.act(() => views[0]?.shown.set('ok', true))
      await world.act(() => void views[0]?.shown.submit())
      await world.act(() => void tab.resumeToolCalls())
      await world.advance(1000)
      const there = tab.getToolCall(world.client.toolCallId('ask', 'k'))
      await world.act(() => void there?.respond(key, { action: 'decline' }))
      await world.advance(5000)
      expect(views.map(({ text }) => text)).toEqual([
        'form; accepted; ok true; Sent.',
        expect.stringMatching(/^form; gone; ok false; No answer is needed/),
      ])
    },
  },
  {
    name: '[EDGE-29] useElicitationForm does not say that it declined where another tab has accepted meanwhile',
    notOverBridge: 'the backend knows of the first response, and refuses the second at once',
    async run(world) {
      const requests = world.mount('useInputRequests', {}, ({ length }) => `${length}`)
      const ask = { name: 'ask', arguments: { questions: ['Transfer 900 EUR?'] } }
      await world.act(() => void world.client.startToolCall(ask, { key: 'k' }))
      const tab = world.openTab()
      await world.act(() => void tab.resumeToolCalls())
      await world.advance(3000)
      const [pending] = requests.shown
      if (pending === undefined) return expect.fail('Nothing is asked.')
      const view = world.mount('useElicitationForm', pending, show)
      world.server.faults.delay(500, { method: 'tasks/update' })
      const accepted = { action: 'accept', content: { ok: true } }
      const there = tab.getToolCall(pending.callId)
      await world.act(() => void there?.respond(pending.inputKey, accepted))
      await world.act(() => void view.shown.decline())
      await world.advance(200)
      expect(view.text).toBe('form; sending; ok false; Sending…')
      await world.advance(5000)
      expect(view.text).toMatch(/^form; gone; ok false; No answer is needed/)
      expect(await there?.result).toMatchObject({ content: [{ text: JSON.stringify([accepted]) }] })
    },
  },
  {
    name: 'useElicitationForm of another input request is another form, also for what was taken from the first',
    async run(world) {
      const { view, source, sent } = open(world)
      const other = callThatAsks(formRequest({ type: 'object', properties: { name: { type: 'string' } } }))
      const { set, submit } = view.shown
      await world.act(() => set('reason', 'Fixes it'))
      await view.change(other.source)
      expect(view.text).toBe('form; open; name ""')
      const isReact = view.shown.set !== set
      await world.act(() => (isReact ? view.shown.set : set)('name', 'Ada'))
      expect(view.text).toBe('form; open; name "Ada"')
      await world.act(() => (isReact ? view.shown.submit : submit)())
      expect(other.sent()).toEqual([{ action: 'accept', content: { name: 'Ada' } }])
      await view.change(source)
      expect(view.text).toMatch('Reason ""')
      expect(sent()).toEqual([])
      expect(other.listeners.size).toBe(0)
    },
  },
  {
    name: 'useElicitationForm keeps what is typed into two forms of one input request apart, and their ids',
    async run(world) {
      const page = open(world)
      const second = world.mount('useElicitationForm', page.source, show)
      await world.act(() => type(page, 'reason', 'Fixes it'))
      expect([page.view.text, second.text].map((text) => /Reason ".*?"/.exec(text)?.[0])).toEqual([
        'Reason "Fixes it"',
        'Reason ""',
      ])
      const ids = [page.view, second].flatMap(({ shown }) => shown.fields.map(({ id }) => id))
      expect(new Set(ids).size).toBe(10)
    },
  },
  {
    name: 'useElicitationForm leaves no listener behind when its component is unmounted',
    async run(world) {
      const { view, listeners } = open(world)
      expect(listeners.size).toBe(1)
      await view.unmount()
      await world.act(() => {})
      expect(listeners.size).toBe(0)
    },
  },
]
