import { CAPABILITY_OF } from '../protocol/inputCapabilities.js'
import type {
  ElicitFormRequest,
  ElicitUrlRequest,
  InputRequest,
  InputResponse,
  ListRootsRequest,
  SamplingRequest,
} from '../protocol/inputRequest.js'

/** The input request that a handler responds to. */
export interface InputHandlerContext {
  /** The task that asks; undefined where the server asks before there is one. */
  readonly taskId: string | undefined
  readonly callId: string
  readonly inputKey: string
  /** Aborted when the task ends, or when the server withdraws the input request. */
  readonly signal: AbortSignal
}

/** Responds to one kind of input request. One that throws leaves it to `respond()`. */
export type InputHandler<R> = (request: R, context: InputHandlerContext) => InputResponse | Promise<InputResponse>

/**
 * Responds to input requests without a user interface. Each key of a task reaches its handler once, however many
 * polls and tabs show it; an input request whose handler throws waits for `respond()` instead.
 */
export interface InputHandlers {
  elicitation?: InputHandler<ElicitFormRequest | ElicitUrlRequest>
  sampling?: InputHandler<SamplingRequest>
  roots?: InputHandler<ListRootsRequest>
}

/** The handler for an input request, bound to it; undefined if there is none. */
export function handlerOf(
  handlers: InputHandlers,
  request: InputRequest,
): ((context: InputHandlerContext) => Promise<InputResponse>) | undefined {
  // Each kind of request has its handler under the name of its capability.
  const handle = handlers[CAPABILITY_OF[request.method]] as InputHandler<InputRequest> | undefined
  return handle && (async (context) => handle(request, context))
}
