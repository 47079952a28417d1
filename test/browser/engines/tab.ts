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
}

/** The roles that tests ask for. */
export type Role = 'banner' | 'button' | 'heading' | 'link' | 'option' | 'progressbar' | 'tab' | 'textbox'

/** Elements that are looked for anew each time, until they are there. */
export interface Found extends Place {
  filter(options?: { has?: Found | undefined }): Found
  first(): Found
  all(): Promise<Found[]>
  count(): Promise<number>
  click(options?: { timeout?: number }): Promise<void>
  focus(): Promise<void>
  selectOption(label: string): Promise<unknown>
  waitFor(options?: { timeout?: number }): Promise<void>
  isVisible(): Promise<boolean>
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
