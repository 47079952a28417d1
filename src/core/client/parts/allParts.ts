import { formIssues } from '../../protocol/formIssues.js'
import { createAnswers } from '../../run/answers.js'
import { createNews } from '../../run/news.js'
import { takePushed } from '../../run/push.js'
import { createTabs } from '../../tabs/createTabs.js'
import { createObserving } from '../observe/createObserving.js'
import type { PartsOfClient } from './parts.js'

/** What `createTaskClient` has. */
export const ALL_PARTS: PartsOfClient = {
  createTabs,
  createNews,
  createAnswers,
  checkForm: formIssues,
  createPush: takePushed,
  createObserving,
}
