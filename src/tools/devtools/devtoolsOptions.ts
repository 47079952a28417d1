import type { TaskStorage } from '../../core/storage/taskStorage.js'
import type { FaultInjection } from './faults/createFaultInjection.js'

export type DevtoolsTheme = 'light' | 'dark' | 'system'

/** The options of the panel. */
export interface TaskwireDevtoolsOptions {
  /** The element that the panel fills. @default no element: a button in a corner of the page opens the panel over the page */
  readonly target?: HTMLElement | undefined
  /** Whether the panel over the page is open at first. @default as the user left it in this tab; closed in a new tab */
  readonly initialIsOpen?: boolean | undefined
  /** The corner for the button. It also sets the edge for the panel over the page. @default 'bottom-right' */
  readonly position?: 'bottom-right' | 'bottom-left' | 'top-right' | 'top-left' | undefined
  /** The theme of the panel. @default 'system' */
  readonly theme?: DevtoolsTheme | undefined
  /** Enables the buttons that break things. Pass the faults whose `environment` the clients were created with. */
  readonly faults?: FaultInjection | undefined
  /**
   * Whether `sessionStorage` keeps the events of calls, so that the panel shows them after a reload: the latest 300
   * observations, without messages.
   * @default true
   */
  readonly keepLog?: boolean | undefined
  /** The storage of the clients' records, if the app passes its own storage to them. @default the storages of the page */
  readonly storage?: TaskStorage | undefined
}
