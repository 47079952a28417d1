import type { TaskClientBaseOptions } from '../../core/client/taskClient.js'
import type { BridgeCarrier } from './carrier.js'

/**
 * The options of `createTaskClient` of `taskwire/bridge`. The client at the backend decides how tasks are polled and
 * stored.
 */
export interface TaskClientBridgeOptions
  extends Pick<
    TaskClientBaseOptions,
    'scope' | 'crossTab' | 'batchUpdates' | 'resume' | 'onError' | 'environment' | 'retry'
  > {
  /** The URL of the backend's `createTaskBridge` handler, such as `/api/calls`. */
  url: string | URL
  /**
   * Has no effect, and neither has `toolsHash`: set them on the client at the backend. The page accepts them so that an app
   * that moves its client to the backend can keep its options.
   */
  capabilities?: object
  /** Has no effect, see `capabilities`. */
  toolsHash?: string
  /** The function that sends requests. @default the `fetch` of the page, which sends the cookies of its origin */
  fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** How changes reach the page: pass `webSocket()` if the backend serves `openSocket()`. @default server-sent events */
  carrier?: BridgeCarrier
}
