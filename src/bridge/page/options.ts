import type { TaskClientBaseOptions } from '../../core/client/taskClient.js'
import type { BridgeCarrier } from './carrier.js'

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
  /**
   * What the page can ask its user for. It belongs to the client of the backend, and so does `toolsHash`: both change nothing here, and are
   * accepted so that a page that had the client itself can keep its options.
   */
  capabilities?: object
  /** See `capabilities`. */
  toolsHash?: string
  /** The function that sends requests. @default the `fetch` of the page, which sends the cookies of its origin */
  fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** How changes come to the page: `webSocket()`, where the backend serves `openSocket()`. @default server-sent events */
  carrier?: BridgeCarrier
}
