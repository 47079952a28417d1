import type { TaskClientBaseOptions } from '../../core/client/taskClient.js'

/**
 * The options of `createTaskClient` of `taskwire/bridge`. The client of the backend decides how tasks are polled and stored.
 */
export interface TaskClientBridgeOptions
  extends Pick<
    TaskClientBaseOptions,
    'scope' | 'crossTab' | 'batchUpdates' | 'resume' | 'onError' | 'environment' | 'retry'
  > {
  /** Where the backend serves the handler of `createTaskBridge`, such as `/api/calls`. */
  url: string | URL
  /** The function that sends requests. @default the `fetch` of the page, which sends the cookies of its origin */
  fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
}
