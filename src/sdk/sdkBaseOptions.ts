import type { OptionKinds } from '../core/client/checkOptions.js'
import { finite } from '../core/client/options.js'
import type { TaskClientBaseOptions } from '../core/client/taskClient.js'
import type { Environment } from '../core/environment/environment.js'
import type { LegacyOptions, LegacyTasksMode } from '../core/wire/legacyOptions.js'

/** Options of every client that connects with the official SDK. */
export interface TaskClientSdkBaseOptions extends TaskClientBaseOptions {
  /** How the client uses tasks of a server that speaks MCP 2025-11-25. */
  legacy?: {
    /**
     * Which tools the client calls as tasks, if the server and the tool allow it: all (`'auto'`), only tools that require
     * it (`'required-only'`), or none (`'never'`). From revision 2026-07-28 on, the server decides.
     * @default 'auto'
     */
    tasks?: LegacyTasksMode
    /** The time for which the client asks the server to keep a task, in ms. @default the server decides */
    ttlMs?: number
  }
}

/** What they may be. */
export const LEGACY_OPTIONS: OptionKinds = {
  legacy: 'checked elsewhere',
  'legacy.tasks': ['auto', 'required-only', 'never'],
  'legacy.ttlMs': 'checked elsewhere',
}

/**
 * How tasks of MCP 2025-11-25 are used, as `legacy` asks for it.
 *
 * @throws {TaskConfigurationError} if one of them is not an allowed value.
 */
export function readLegacyOptions(
  { legacy: { tasks = 'auto', ttlMs } = {} }: TaskClientSdkBaseOptions,
  environment: Environment,
  addressesSessions: boolean,
): LegacyOptions {
  return { mode: tasks, ttlMs: finite('legacy.ttlMs', ttlMs, undefined), environment, addressesSessions }
}
