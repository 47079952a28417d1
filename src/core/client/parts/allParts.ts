import { formIssues } from '../../protocol/formIssues.js'
import { answers } from '../../run/answers.js'
import { readOrAsk } from '../../run/handOver.js'
import { receive } from '../../run/news.js'
import { takePushed } from '../../run/push.js'
import { createTabs } from '../../tabs/createTabs.js'
import { createObserving } from '../observe/createObserving.js'
import type { PartsOfClient } from './parts.js'
import { PLAIN_RECORDS } from './plainRecords.js'

/** What `createTaskClient` of `taskwire/lite` has. */
export const ALL_PARTS: PartsOfClient = {
  ...PLAIN_RECORDS,
  createTabs,
  receive,
  readFound: readOrAsk,
  answers,
  checkForm: formIssues,
  createPush: takePushed,
  createObserving,
}
