import type { Environment } from '../../environment/environment.js'
import type { CallsOptions } from '../../run/run.js'
import type { TaskStorage } from '../../storage/taskStorage.js'
import type { createTabs } from '../../tabs/createTabs.js'
import type { CreateObserving } from '../observe/createObserving.js'

/** A part of a client, for {@link ClientParts}. Only `createClient` uses its content. */
export interface ClientPart<Name extends string = string> {
  readonly part: Name
}

/** The parts of a client of `createClient`, beyond calls, polls and records. A page ships only the parts that it names. */
export interface ClientParts {
  /**
   * One tab polls for all tabs, and a call with a key runs once in all tabs together. Without this part, each page works
   * alone.
   */
  readonly tabs?: ClientPart<'tabs'>
  /**
   * Handlers and `respond()` for input requests. Without this part, the client declares no elicitation, and a call that
   * needs it fails.
   */
  readonly inputs?: ClientPart<'inputs'>
  /**
   * Checks a form before it is sent, and reports problems by field. Without this part, only the server checks. Requires
   * `inputs`.
   */
  readonly forms?: ClientPart<'forms'>
  /** Receives the changes that the server pushes. Without this part, the client polls tasks at their intervals. */
  readonly push?: ClientPart<'push'>
  /** `client.observe()`, which `taskwire/otel` and the timeline of the devtools need. Without this part, `observe()` throws. */
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
