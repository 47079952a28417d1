import type { Environment } from '../../core/environment/environment.js'
import { ToolCallRejectedError } from '../../core/protocol/errors.js'
import type { BridgeAction } from './options.js'
import type { Others } from './others.js'

/** True where the page may do this. */
export type IsAllowed = (action: BridgeAction) => Promise<boolean>

/** With what an action is carried out. */
export interface Acting {
  readonly isAllowed: IsAllowed
  readonly others: Others
  readonly environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>
}

export async function expectAllowed({ isAllowed }: Pick<Acting, 'isAllowed'>, action: BridgeAction): Promise<void> {
  if (await isAllowed(action)) return
  throw new ToolCallRejectedError(
    `The backend of this app does not let pages ${action.type} calls of "${action.tool}". To let them, name the tool in ` +
      'the option `allow` of createTaskBridge.',
    { code: 403 },
  )
}
