import type { TaskStorage } from '../../core/storage/taskStorage.js'
import type { FaultInjection } from './faults/createFaultInjection.js'

export type DevtoolsTheme = 'light' | 'dark' | 'system'

/** The options of the panel. */
export interface TaskwireDevtoolsOptions {
  /** The element that the panel fills. @default none: a button in a corner of the page opens the panel over it */
  readonly target?: HTMLElement | undefined
  /** Whether the panel over the page is open at first. @default as it was left in this tab, and closed in a new one */
  readonly initialIsOpen?: boolean | undefined
  /** The corner of the button, and with it the edge of the panel over the page. @default 'bottom-right' */
  readonly position?: 'bottom-right' | 'bottom-left' | 'top-right' | 'top-left' | undefined
  /** @default 'system' */
  readonly theme?: DevtoolsTheme | undefined
  /** Enables the buttons that break things: those of the environment that the clients were made with. */
  readonly faults?: FaultInjection | undefined
  /**
   * Whether what happened to calls is kept in `sessionStorage` for the panel after a reload: the latest 300 observations,
   * without anything of the wire.
   * @default true
   */
  readonly keepLog?: boolean | undefined
  /** Where the clients keep their records, if the app passes them a storage of its own. @default those of the page */
  readonly storage?: TaskStorage | undefined
}
