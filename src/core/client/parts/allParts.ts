import { formIssues } from '../../protocol/formIssues.js'
import { answers } from '../../run/answers.js'
import { receive } from '../../run/news.js'
import { takePushed } from '../../run/push.js'
import { createTabs } from '../../tabs/createTabs.js'
import { createObserving } from '../observe/createObserving.js'
import type { PartsOfClient } from './parts.js'

/** What `createTaskClient` has. */
export const ALL_PARTS: PartsOfClient = {
  createTabs,
  receive,
  answers,
  checkForm: formIssues,
  createPush: takePushed,
  createObserving,
}
