import { createAnswers } from '../../core/run/answers.js'
import { createNews } from '../../core/run/news.js'
import { takePushed } from '../../core/run/takePushed.js'
import { createTabs } from '../../core/tabs/createTabs.js'
import { formIssues } from '../../protocol/formIssues.js'
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
