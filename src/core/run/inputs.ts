import type { FormIssue } from '../protocol/formIssues.js'
import { CAPABILITY_OF } from '../protocol/inputCapabilities.js'
import type {
  ElicitFormRequest,
  ElicitUrlRequest,
  InputRequest,
  InputResponse,
  ListRootsRequest,
  SamplingRequest,
} from '../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { type InputState, type Inputs, withInput } from '../record/inputs.js'
import { changeCall, changeTask } from './changes.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { Run } from './run.js'

/** Changes how the response of this page to an input request fares. */
export function setInput(
  run: Run,
  owner: CallEntry | TaskEntry,
  inputKey: string,
  next: (input: InputState) => InputState | undefined,
): void {
  const changed = (inputs: Inputs) => {
    const input = inputs.get(inputKey)
    // Withdrawn, or answered by another tab in the meantime.
    return input === undefined || input.status === 'answered' ? inputs : withInput(inputs, inputKey, next(input))
  }
  const task = 'record' in owner ? owner : owner.task
  if (task !== undefined) {
    changeTask(
      run,
      task,
      (record) => {
        const inputs = changed(record.here.inputs)
        return inputs === record.here.inputs ? record : { ...record, here: { ...record.here, inputs } }
      },
      { from: 'here' },
    )
  } else if ('call' in owner) {
    changeCall(run, owner, (call) => {
      if (call.stage.name !== 'calling') return call
      const inputs = changed(call.stage.inputs)
      return inputs === call.stage.inputs ? call : { ...call, stage: { ...call.stage, inputs } }
    })
  }
}

/** The context of an input request, for its handler. */
export interface InputHandlerContext {
  /** The task that needs the input; undefined if the server asks before there is a task. */
  readonly taskId: string | undefined
  readonly callId: string
  readonly inputKey: string
  /** Aborted when the task ends, or when the server withdraws the input request. */
  readonly signal: AbortSignal
}

/** Responds to one kind of input request. If it throws, the request waits for `respond()`. */
export type InputHandler<R> = (request: R, context: InputHandlerContext) => InputResponse | Promise<InputResponse>

/**
 * Responds to input requests without a user interface. A handler is called once for each input request, no matter how many
 * polls and tabs see the request. If the handler throws, the input request waits for `respond()`.
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

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

/** What is wrong with the content of a form. */
export type CheckForm = (schema: JsonObject, content: JsonObject) => readonly FormIssue[]

/**
 * What is wrong with an input response: in words where the app has made it wrongly, by field where a form is filled in wrongly;
 * undefined where nothing is.
 */
export async function validateInputResponse(
  request: InputRequest,
  response: InputResponse,
  checkForm: CheckForm,
): Promise<string | readonly FormIssue[] | undefined> {
  if (!isJsonObject(response)) return 'it is not a JSON object'
  switch (request.method) {
    case 'elicitation/create': {
      if (!ACTIONS.includes(response['action'])) return "its action is not one of 'accept', 'decline' and 'cancel'"
      if (response['action'] !== 'accept' || request.params.mode === 'url') return undefined
      const { content = {} } = response
      if (!isJsonObject(content)) return 'its content is not an object'
      const issues = checkForm(request.params.requestedSchema, content)
      return issues.length === 0 ? undefined : issues
    }
    case 'sampling/createMessage':
      if (typeof response['model'] !== 'string') return 'it names no model'
      if (response['role'] !== 'assistant' && response['role'] !== 'user') return 'it has no role'
      return response['content'] === undefined ? 'it has no content' : undefined
    case 'roots/list':
      return Array.isArray(response['roots']) ? undefined : 'it has no list of roots'
  }
}
