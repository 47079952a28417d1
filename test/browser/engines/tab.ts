// What tests use of a page, in any engine. It is a part of what Playwright has, under the same names: the pages of Chromium are
// Playwright's own.

export interface RoleOptions {
  readonly name?: string | RegExp
  readonly exact?: boolean
}

/** Where elements are looked for. */
export interface Place {
  getByRole(role: Role, options?: RoleOptions): Found
  getByText(text: string | RegExp, options?: { exact?: boolean }): Found
  getByLabel(text: string): Found
  getByTestId(id: string): Found
  locator(css: string, options?: { hasText?: string }): Found
  /** What is in a frame of the same origin. */
  frameLocator(css: string): Place
}

/** The roles that tests ask for. */
export type Role =
  | 'banner'
  | 'button'
  | 'heading'
  | 'link'
  | 'option'
  | 'progressbar'
  | 'radio'
  | 'region'
  | 'tab'
  | 'textbox'

/** Elements that are looked for anew each time, until they are there. */
export interface Found extends Place {
  filter(options?: { has?: Found | undefined }): Found
  first(): Found
  all(): Promise<Found[]>
  count(): Promise<number>
  click(options?: { timeout?: number }): Promise<void>
  focus(): Promise<void>
  /** Types a text in place of what was there, as if it were pasted. */
  fill(text: string): Promise<void>
  check(options?: { force?: boolean }): Promise<void>
  uncheck(): Promise<void>
  selectOption(label: string): Promise<unknown>
  /** Waits until one is visible, or until there is none. */
  waitFor(options?: { timeout?: number; state?: 'visible' | 'detached' }): Promise<void>
  isVisible(): Promise<boolean>
  isDisabled(): Promise<boolean>
  inputValue(): Promise<string>
  textContent(): Promise<string | null>
  getAttribute(name: string): Promise<string | null>
  boundingBox(): Promise<Box | null>
  evaluate<R>(body: (element: HTMLElement) => R): Promise<R>
  evaluateAll<R>(body: (elements: HTMLElement[]) => R): Promise<R>
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A tab of a browser. */
export interface Tab extends Place {
  readonly keyboard: { press(key: Key): Promise<void> }
  goto(url: string): Promise<unknown>
  reload(): Promise<unknown>
  title(): Promise<string>
  /** Runs a function that refers to nothing outside of it, or an expression; what they resolve to must be JSON. */
  evaluate<R>(body: string | (() => R | Promise<R>)): Promise<R>
  waitForURL(url: RegExp): Promise<void>
  bringToFront(): Promise<void>
  close(): Promise<void>
}

export type Key = 'Tab' | 'Enter' | 'Escape' | 'ArrowDown'
