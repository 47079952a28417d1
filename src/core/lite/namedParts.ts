import { createObserving } from '../client/observe/createObserving.js'
import type { ClientPart, PartsOfClient } from '../client/parts/parts.js'
import { formIssues } from '../protocol/formIssues.js'
import { answers } from '../run/answers.js'
import { readOrAsk } from '../run/handOver.js'
import { receive } from '../run/news.js'
import { takePushed } from '../run/push.js'
import { createTabs } from '../tabs/createTabs.js'

/** A part with what it brings. */
export type FullPart<Name extends string, Brings extends keyof PartsOfClient> = ClientPart<Name> &
  Pick<PartsOfClient, Brings>

const ownTabs: FullPart<'tabs', 'createTabs' | 'receive' | 'readFound'> = {
  part: 'tabs',
  createTabs,
  receive,
  readFound: readOrAsk,
}
const ownInputs: FullPart<'inputs', 'answers'> = { part: 'inputs', answers }
const ownForms: FullPart<'forms', 'checkForm'> = { part: 'forms', checkForm: formIssues }
const ownPush: FullPart<'push', 'createPush'> = { part: 'push', createPush: takePushed }
const ownObserving: FullPart<'observing', 'createObserving'> = { part: 'observing', createObserving }

/** A part of `createClient`: one tab polls a task, and the other tabs show the same state. */
export const tabs: ClientPart<'tabs'> = ownTabs

/** A part of `createClient`: handlers and `respond()` for input requests. */
export const inputs: ClientPart<'inputs'> = ownInputs

/** A part of `createClient`: checks a form before it is sent. Requires `inputs`. */
export const forms: ClientPart<'forms'> = ownForms

/** A part of `createClient`: receives the changes that the server pushes, and polls less often meanwhile. */
export const push: ClientPart<'push'> = ownPush

/** A part of `createClient`: `client.observe()`. */
export const observing: ClientPart<'observing'> = ownObserving
