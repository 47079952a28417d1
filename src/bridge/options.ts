import type { TaskClientBaseOptions } from '../client/taskClient.js'

/** What `createTaskClient` of `taskwire/bridge` takes. How tasks are polled and kept, the client of the backend says. */
export interface TaskClientBridgeOptions
  extends Pick<
    TaskClientBaseOptions,
    'scope' | 'crossTab' | 'batchUpdates' | 'resume' | 'onError' | 'environment' | 'retry'
  > {
  /** Where the backend serves the handler of `createTaskBridge`, such as `/api/calls`. */
  url: string | URL
  /** What requests are sent by. @default the `fetch` of the page, which sends the cookies of its origin */
  fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
}
