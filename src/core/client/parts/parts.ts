import type { Environment } from '../../environment/environment.js'
import type { CallsOptions } from '../../run/run.js'
import type { TaskStorage } from '../../storage/taskStorage.js'
import type { createTabs } from '../../tabs/createTabs.js'
import type { CreateObserving } from '../observe/createObserving.js'

/** A part of a client, for {@link ClientParts}. Only `createClient` uses its content. */
export interface ClientPart<Name extends string = string> {
  readonly part: Name
}

/**
 * The parts of a client of `createClient`, beyond calls, polls and records. A page ships the parts that it names, and none of the
 * others.
 */
export interface ClientParts {
  /** One tab polls for all of them, and a call with a key runs once in all of them. Without it, each page is alone. */
  readonly tabs?: ClientPart<'tabs'>
  /** Handlers and `respond()` for input requests. Without it, the client declares no elicitation, and a call that needs it fails. */
  readonly inputs?: ClientPart<'inputs'>
  /** Checks a form before it is sent, and says what is wrong by field. Without it, the server alone checks. It needs `inputs`. */
  readonly forms?: ClientPart<'forms'>
  /** Takes what the server pushes. Without it, tasks are polled at their intervals. */
  readonly push?: ClientPart<'push'>
  /** `client.observe()`, and with it `taskwire/otel` and the timeline of the devtools. Without it, `observe()` throws. */
  readonly observing?: ClientPart<'observing'>
}

/** What the parts bring. */
export interface PartsOfClient
  extends Pick<CallsOptions, 'readFound' | 'receive' | 'answers' | 'checkForm' | 'createPush'> {
  /** What the option `storage` stands for where an app does not give it. */
  readonly openStorage: (environment: Environment) => TaskStorage
  readonly createTabs: typeof createTabs
  readonly createObserving: CreateObserving
}
