import {
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  inputRequired,
  type ListRootsResult,
} from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { sleep } from '../base/sleep.js'
import type { ServerParts } from '../serverParts.js'
import { createTaskSteps } from '../tasks/taskSteps.js'
import type { ToolBackend } from '../tasks/toolBackend.js'
import { checkReport, type WorkReportArguments } from '../tasks/workReport.js'
import type { ValidCall } from './callTool.js'
import { createElicit } from './elicit.js'
import { metaOf } from './metaOf.js'
import type { PrepareContext, ToolContext } from './toolContext.js'

type SamplingResponse = CreateMessageResult | CreateMessageResultWithTools

/** The context of a handler. A promise that the handler forgets to await must not take the process down. */
export function createToolContext(
  call: ValidCall,
  parts: ServerParts,
  backend: ToolBackend,
  taskId?: string,
): ToolContext {
  const { ask } = backend
  const once = createTaskSteps(backend)
  return {
    ...requestContext(call),
    sleep: (ms) => ignoreRejection(sleep(parts.config.clock, ms, backend.signal).then(() => backend.assertHeld())),
    // Thrown at once: a tool need not await this, and what JSON cannot carry would leave `tasks/get` without a response.
    progress: (...reached: WorkReportArguments) => ignoreRejection(backend.report(checkReport(...reached))),
    elicit: createElicit({ ask }),
    sample: (params) => ignoreRejection(ask<SamplingResponse>(() => inputRequired.createMessage(params))),
    listRoots: () => ignoreRejection(ask<ListRootsResult>(() => inputRequired.listRoots())),
    once: (name, work, options) => ignoreRejection(once(name, work, options)),
    attempt: call.exchange.run?.by.attempt ?? 1,
    ...(taskId !== undefined && { taskId }),
    // Last, because engines make a shape of its own for each member after an accessor.
    get signal() {
      return backend.signal
    },
  }
}

/** The context of `prepare`. What only handlers have says so, for callers that no compiler warns. */
export function createPrepareContext(call: ValidCall, parts: ServerParts): PrepareContext {
  const { signal } = call.ctx.mcpReq
  const missing = HANDLER_ONLY.map((name) => [name, () => ignoreRejection(Promise.reject(notInPrepare(name)))])
  return {
    ...Object.fromEntries(missing),
    ...requestContext(call),
    signal,
    sleep: (ms) => ignoreRejection(sleep(parts.config.clock, ms, signal)),
  }
}

const HANDLER_ONLY = ['progress', 'elicit', 'sample', 'listRoots', 'once'] satisfies (keyof ToolContext)[]

function notInPrepare(name: string): TaskConfigurationError {
  return new TaskConfigurationError(
    `Failed to call ${name}(): \`prepare\` runs before the work begins. ` +
      'Return inputRequired() of the SDK from it to ask the client, and do the work in `handler`.',
  )
}

function requestContext({ ctx, exchange }: ValidCall): Omit<PrepareContext, 'signal' | 'sleep'> {
  return {
    clientCapabilities: exchange.capabilities,
    meta: metaOf(exchange.body),
    inputResponses: ctx.mcpReq.inputResponses ?? {},
    requestState: ctx.mcpReq.requestState,
    ...(exchange.authInfo !== undefined && { authInfo: exchange.authInfo }),
  }
}
