// `taskwire` as the live examples have it: the package itself, whose clients can also be cut off and watched by the page
// around the frame.

import { createFaultInjection } from '../../../src/devtools.js'
import { createTaskClient as create, type TaskClient, type TaskClientUrlOptions } from '../../../src/index.js'
import { CLIENT_EVENT, type LiveClient } from './liveClient.js'

export * from '../../../src/index.js'

/** The server of an example is in the folder of its frame, wherever the site is. */
export const createTaskClient = ((options: TaskClientUrlOptions): TaskClient => {
  const faults = createFaultInjection()
  const url = new URL(`.${new URL(options.url, location.origin).pathname}`, document.baseURI).href
  const client = create({ ...options, url, environment: faults.environment })
  const detail: LiveClient = { client, faults }
  window.frameElement?.dispatchEvent(new CustomEvent(CLIENT_EVENT, { detail }))
  return client
}) as typeof create
