import type { Page } from 'playwright-core'
import type { Tab } from './tab.js'

export type EngineName = 'chromium' | 'firefox' | 'webkit'

export interface EngineOptions {
  /** Whether tabs must be able to hide each other and to be gone back to, for which Chromium draws its whole window. */
  readonly hasWindow: boolean
}

/** A running browser. */
export interface Engine {
  readonly name: EngineName
  /** Another profile: nothing is stored in it. */
  newContext(options?: ContextOptions): Promise<EngineContext>
  /** A window whose tabs hide one another. */
  newWindow(): Promise<EngineContext>
  /** True if a tab in front hides the others of its window. */
  readonly hidesTabs: boolean
  /** True if it keeps a page to go back to that holds a lock when the user leaves it. */
  readonly keepsPages: boolean
  close(): Promise<void>
}

export interface ContextOptions {
  /** Called with each error and warning that a page writes to the console, and with each error that nothing has caught. */
  readonly onComplaint?: (text: string) => void
}

export interface EngineContext {
  open(): Promise<Tab>
  /** Cuts the network off, or connects it again, for a page that is open. */
  setOffline(tab: Tab, isOffline: boolean): Promise<void>
  /** Ends a tab as suddenly as the engine can. */
  crash(tab: Tab): Promise<void>
  /** The page as Playwright has it, for tests that are left out elsewhere. */
  playwright(tab: Tab): Page
  close(): Promise<void>
}

/** What all tabs are as large as. */
export const VIEWPORT = { width: 1440, height: 900 }

/** What `playwright` does in the other engines. */
export function withoutPlaywright(): never {
  throw new TypeError(
    'A test that needs Playwright runs in Chromium alone: name it in test/browser/engines/leftOut.ts.',
  )
}
