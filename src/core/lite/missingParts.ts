import type { ClientParts, PartsOfClient } from '../client/parts/parts.js'
import { PLAIN_RECORDS } from '../client/parts/plainRecords.js'
import type { TaskClientBaseOptions } from '../client/taskClient.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { NO_PUSH } from '../run/push.js'
import { NO_TABS } from '../tabs/tabs.js'

/** What a client has in place of parts that are not named. */
export const NO_PARTS: PartsOfClient = {
  ...PLAIN_RECORDS,
  createTabs: () => NO_TABS,
  receive: () => {},
  readFound: (_run, _callId, found) => (typeof found === 'object' ? found : undefined),
  answers: { onInputs: () => {}, ask: refuseResponse, respond: refuseResponse },
  checkForm: () => [],
  createPush: () => NO_PUSH,
  createObserving: () => ({
    observe: () => {
      throw missingPart('client.observe()', 'observing')
    },
    close: () => {},
  }),
}

/**
 * Refuses options and parts that need a part that is not named.
 *
 * @throws {TaskConfigurationError} that names the part.
 */
export function checkOptionsOfParts({ input, push, crossTab }: TaskClientBaseOptions, parts: ClientParts): void {
  if (input !== undefined && !parts.inputs) throw missingPart('The option input', 'inputs')
  if (parts.forms && !parts.inputs) throw missingPart('The part forms', 'inputs')
  if (push && !parts.push) throw missingPart('push: true', 'push')
  if (crossTab && !parts.tabs) throw missingPart('crossTab: true', 'tabs')
}

function refuseResponse(): Promise<never> {
  return Promise.reject(missingPart('A response to an input request', 'inputs'))
}

function missingPart(what: string, part: keyof ClientParts): TaskConfigurationError {
  return new TaskConfigurationError(
    `${what} needs the part ${part}, which this client was made without. Pass it: createClient(options, { ${part} }), with ${part} from 'taskwire/core'.`,
  )
}
