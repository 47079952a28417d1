import { build, type Rolldown } from 'vite'
import { vi } from 'vitest'
import { PATIENCE } from '../../support/patience.js'
import { matchOf, type Step } from './query.js'
import type { Found, Key, Place, Tab } from './tab.js'

/** What an engine must be able to do with a tab; all else is done in the page. */
export interface DrivenPage {
  goto(url: string): Promise<unknown>
  reload(): Promise<unknown>
  /** What an expression resolves to. */
  evaluate(expression: string): Promise<unknown>
  click(x: number, y: number): Promise<unknown>
  press(key: Key): Promise<unknown>
  bringToFront(): Promise<void>
  close(): Promise<void>
}

let building: Promise<string> | undefined

/** A tab of an engine that Playwright does not drive. */
export async function drivenTab(page: DrivenPage): Promise<Tab> {
  building ??= buildInPage()
  const script = await building
  const tab: Tab = {
    ...placeOf(page, [], script),
    keyboard: { press: async (key) => void (await page.press(key)) },
    goto: (url) => page.goto(url),
    reload: () => page.reload(),
    title: () => page.evaluate('document.title') as Promise<string>,
    evaluate: <R>(body: string | (() => R | Promise<R>)) =>
      page.evaluate(typeof body === 'string' ? body : `(${body})()`) as Promise<R>,
    waitForURL: async (url) => void (await until(async () => url.test(String(await page.evaluate('location.href'))))),
    bringToFront: () => page.bringToFront(),
    close: () => page.close(),
  }
  return tab
}

/** Calls a function of `inPage.ts` in a page, which has it from then on. */
export async function runInPage<R>(page: DrivenPage, body: string): Promise<R> {
  building ??= buildInPage()
  return run(page, await building, body)
}

async function run<R>(page: DrivenPage, script: string, body: string): Promise<R> {
  const call = async () =>
    (await page.evaluate(
      `globalThis.inPage === undefined ? ['absent'] : ['present', (${body})(globalThis.inPage)]`,
    )) as [string, R]
  const [state, value] = await call()
  if (state === 'present') return value
  // Nothing of the page may be left in the way: the script is a function of its own.
  await page.evaluate(`(() => { ${script} })()`)
  return (await call())[1]
}

/** Tries until there is something; while a page is being loaded, nothing can be asked of it. */
function until<T>(attempt: () => Promise<T | undefined>, timeout = PATIENCE.timeout): Promise<T> {
  let problem: unknown
  const once = async () => {
    try {
      return await attempt()
    } catch (error) {
      problem = error
      return undefined
    }
  }
  return vi.waitUntil(once, { timeout, interval: 30 }).catch((error: unknown) => {
    throw problem ?? error
  }) as Promise<T>
}

function placeOf(page: DrivenPage, steps: readonly Step[], script: string): Place {
  const then = (step: Step) => foundOf(page, [...steps, step], script)
  return {
    getByRole: (role, { name, exact } = {}) =>
      then({ by: 'role', role, ...(name !== undefined && { name: matchOf(name, exact) }) }),
    getByText: (text, { exact } = {}) => then({ by: 'text', text: matchOf(text, exact) }),
    getByLabel: (text) => then({ by: 'label', text: matchOf(text) }),
    getByTestId: (id) => then({ by: 'css', css: `[data-testid="${id}"]` }),
    locator: (css, { hasText } = {}) => then({ by: 'css', css, ...(hasText && { text: matchOf(hasText) }) }),
    frameLocator: (css) => placeOf(page, [...steps, { by: 'frame', css }], script),
  }
}

/** What an element must have is in the same frame. */
const inFrame = (steps: readonly Step[]) => steps.slice(steps.findLastIndex(({ by }) => by === 'frame') + 1)

const stepsOf = new WeakMap<Found, readonly Step[]>()

function foundOf(page: DrivenPage, steps: readonly Step[], script: string): Found {
  const then = (step: Step) => foundOf(page, [...steps, step], script)
  const query = JSON.stringify(steps)
  const now = <R>(body: string) => run<R>(page, script, `(inPage) => (${body})(inPage.find(${query}), inPage)`)
  /** What a body says about the first element, once there is one; asked again for as long as it says null or undefined. */
  const once = <R>(body: string, timeout?: number): Promise<R> =>
    until(async () => {
      const said = await now<[R] | []>(`([one], inPage) => (one === undefined ? [] : [(${body})(one, inPage)])`)
      return said[0] == null ? undefined : (said as [R])
    }, timeout).then(([value]) => value)

  /** Where the first element is, once it stays there. */
  const restingPoint = async (): Promise<[number, number]> => {
    let before = ''
    for (;;) {
      const point = await once<[number, number]>('(one, inPage) => inPage.pointOf(one)')
      if (`${point}` === before) return point
      before = `${point}`
    }
  }

  const click = async () => void (await page.click(...(await restingPoint())))
  const isChecked = () => once<boolean>('(one) => one.checked')
  const setChecked = async (isOn: boolean) => {
    if ((await isChecked()) !== isOn) await click()
    await until(async () => (await isChecked()) === isOn || undefined)
  }

  const found: Found = {
    ...placeOf(page, steps, script),
    filter: ({ has } = {}) => then({ by: 'has', steps: inFrame((has && stepsOf.get(has)) ?? []) }),
    first: () => then({ by: 'index', index: 0 }),
    all: async () => Array.from({ length: await found.count() }, (_, index) => then({ by: 'index', index })),
    count: () => now('(all) => all.length'),
    click,
    focus: async () => void (await once('(one) => (one.focus(), true)')),
    fill: async (text) => void (await once(`(one, inPage) => inPage.fill(one, ${JSON.stringify(text)}) || null`)),
    check: () => setChecked(true),
    uncheck: () => setChecked(false),
    selectOption: (label) => once(`(one, inPage) => inPage.selectOption(one, ${JSON.stringify(label)}) || null`),
    waitFor: async ({ timeout, state = 'visible' } = {}) =>
      state === 'visible'
        ? void (await once('(one, inPage) => inPage.isVisible(one) || null', timeout))
        : void (await until(async () => (await found.count()) === 0 || undefined, timeout)),
    isVisible: () => now('([one], inPage) => one !== undefined && inPage.isVisible(one)'),
    isDisabled: () => once("(one) => one.matches(':disabled')"),
    inputValue: () => once('(one) => one.value'),
    textContent: () => once('(one) => one.textContent'),
    getAttribute: (name) =>
      once<[string | null]>(`(one) => [one.getAttribute(${JSON.stringify(name)})]`).then(([value]) => value),
    boundingBox: () => once('(one) => one.getBoundingClientRect().toJSON()'),
    evaluate: <R>(body: (element: HTMLElement) => R) => once<[R]>(`(one) => [(${body})(one)]`).then(([value]) => value),
    evaluateAll: (body) => now(`${body}`),
  }
  stepsOf.set(found, steps)
  return found
}

async function buildInPage(): Promise<string> {
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      rolldownOptions: { input: 'test/browser/engines/inPage.ts', output: { format: 'iife' } },
    },
  })) as Rolldown.RolldownOutput
  return output[0].code
}
