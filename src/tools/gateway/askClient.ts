import {
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type ElicitRequestParams,
  type ElicitResult,
  INVALID_PARAMS,
  type InputRequest,
  METHOD_NOT_FOUND,
  ProtocolError,
} from '@modelcontextprotocol/client'
import { INTERNAL_ERROR, ProtocolError as ServerError } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import type { ToolContext } from '../../server/tools/toolContext.js'

/** The call that an input request is about; undefined where no call runs. */
export type AskedCall = Pick<ToolContext, 'elicit' | 'sample' | 'signal'> | undefined

/**
 * Asks for a server that does not say which call it means: the call that came last. Where that one ends by itself, it was not
 * the one, and the next is asked.
 */
export async function askLatest<T>(latest: () => AskedCall, ask: (call: AskedCall) => Promise<T>): Promise<T> {
  for (;;) {
    const call = latest()
    try {
      return await ask(call)
    } catch (error) {
      if (call === undefined || call.signal.aborted || latest() === call) throw error
    }
  }
}

/**
 * Asks the client of a call what the server behind asks, and resolves to the response.
 *
 * @throws {ProtocolError} of the SDK's client, which the server behind gets: there is no call, its client does not answer such
 * requests, or it has ended.
 */
export function elicitFor(call: AskedCall, params: ElicitRequestParams): Promise<ElicitResult> {
  return asked(async () => {
    if (call === undefined) throw noCall()
    if (params.mode !== 'url') return call.elicit(params)
    const { elicitationId: _, ...page } = params
    return call.elicit(page)
  })
}

/** As {@link elicitFor}, for a completion by the model of the client. */
export function sampleFor(
  call: AskedCall,
  params: CreateMessageRequestParams,
): Promise<CreateMessageResult | CreateMessageResultWithTools> {
  return asked(async () => {
    if (call === undefined) throw noCall()
    return call.sample(params)
  })
}

/** As {@link elicitFor}, for any kind of request that comes as the result of a call. */
export async function answerFor(call: AskedCall, request: InputRequest): Promise<unknown> {
  switch (request.method) {
    case 'elicitation/create':
      return elicitFor(call, request.params)
    case 'sampling/createMessage':
      return sampleFor(call, request.params)
    case 'roots/list':
      throw new ProtocolError(METHOD_NOT_FOUND, 'The gateway has no roots.')
  }
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    if (error instanceof ServerError) throw new ProtocolError(error.code, error.message, error.data)
    if (error instanceof TaskConfigurationError) throw new ProtocolError(INVALID_PARAMS, error.message)
    throw new ProtocolError(INTERNAL_ERROR, 'The call has ended without a response to this input request.')
  }
}

function noCall(): ProtocolError {
  return new ProtocolError(INTERNAL_ERROR, 'The gateway can ask for input during a call only, and no call runs.')
}
