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
import { withAnswered } from '../record/merge.js'
import type { TaskRecord } from '../record/record.js'
import { aborted } from '../time/abort.js'
import type { CallEntry, TaskEntry } from './entries.js'
import type { Runner } from './runner.js'

/** What this page, the other tabs and storage know of responses to input requests. */
export interface InputFacts {
  /** True if any tab has responded. */
  isAnswered(entry: CallEntry, taskId: string | undefined, inputKey: string, signal: AbortSignal): Promise<boolean>
  /** The server has taken the response. `before`: what was known of the task when it was sent. */
  noteAnswered(entry: CallEntry, taskId: string, inputKey: string, before: TaskRecord | undefined): Promise<void>
  /** Changes how the response of this page to an input request fares. */
  setInput(entry: CallEntry, inputKey: string, next: (input: InputState) => InputState | undefined): void
}

export function createInputFacts(run: Runner): InputFacts {
  const { records, tabs } = run

  /**
   * An input request that belongs to no task is asked in this tab alone. Where the record is gone, or of a later call, the
   * tab that has responded may be gone as well:
   *
   * ```text
   * tab A  asked ─ in the back-forward cache ·············· back ─ respond() ─ tasks/get: not asked any longer
   * tab B        responds ─ the task ends ─ calls again
   * ```
   */
  async function isAnswered(
    entry: CallEntry,
    taskId: string | undefined,
    inputKey: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const task = taskId === undefined ? undefined : run.tasks.get(taskId)
    if (task === undefined) return false
    if (!task.record.answered.includes(inputKey)) {
      const stored = (await records.read(entry.call.callId))?.task
      if (stored?.task.taskId !== taskId) await untilHeard(task, signal)
      else if (stored?.answered.includes(inputKey))
        run.learn(task, (record) => noted(record, inputKey), { from: 'storage' })
    }
    return task.record.answered.includes(inputKey)
  }

  /** Resolves once the server has said of the task what this page may not know yet. */
  async function untilHeard(task: TaskEntry, signal: AbortSignal): Promise<void> {
    if (task.record.heardAt > task.doubtfulSince || !run.isFollowed(task)) return
    await Promise.race([new Promise<void>((resolve) => task.heard.push(resolve)), aborted(signal)])
  }

  /** The task may be over by now, or the call made anew, while other pages still show the input request. */
  async function noteAnswered(
    entry: CallEntry,
    taskId: string,
    inputKey: string,
    before: TaskRecord | undefined,
  ): Promise<void> {
    const task = run.tasks.get(taskId)
    if (task !== undefined) {
      return run.learn(task, (record, now) => ({ ...noted(record, inputKey), notedAt: now }), {
        from: 'here',
        write: true,
        tell: true,
      })
    }
    if (entry.call.stage.name === 'left') return
    if (before !== undefined) {
      tabs.post({ type: 'record', record: { ...run.recordOf(entry), task: noted(before, inputKey) } })
    }
    const stored = await records.read(entry.call.callId)
    if (stored?.task?.task.taskId !== taskId) return
    await records.update({ ...stored, task: noted(stored.task, inputKey) }, true)
  }

  /** Changes how the response of this page to an input request fares. */
  function setInput(entry: CallEntry, inputKey: string, next: (input: InputState) => InputState | undefined): void {
    const changed = (inputs: Inputs) => {
      const input = inputs.get(inputKey)
      // Withdrawn, or answered by another tab in the meantime.
      return input === undefined || input.status === 'answered' ? inputs : withInput(inputs, inputKey, next(input))
    }
    if (entry.task !== undefined) {
      run.learn(
        entry.task,
        (record) => {
          const inputs = changed(record.here.inputs)
          return inputs === record.here.inputs ? record : { ...record, here: { ...record.here, inputs } }
        },
        { from: 'here' },
      )
    } else {
      run.change(entry, (call) => {
        if (call.stage.name !== 'calling') return call
        const inputs = changed(call.stage.inputs)
        return inputs === call.stage.inputs ? call : { ...call, stage: { ...call.stage, inputs } }
      })
    }
  }

  return { isAnswered, noteAnswered, setInput }
}

function noted(record: TaskRecord, inputKey: string): TaskRecord {
  return { ...record, answered: withAnswered(record.answered, [inputKey]) }
}

/** The input request that a handler responds to. */
export interface InputHandlerContext {
  /** The task that asks; undefined if the server asks before there is a task. */
  readonly taskId: string | undefined
  readonly callId: string
  readonly inputKey: string
  /** Aborted when the task ends, or when the server withdraws the input request. */
  readonly signal: AbortSignal
}

/** Responds to one kind of input request. If it throws, the request waits for `respond()`. */
export type InputHandler<R> = (request: R, context: InputHandlerContext) => InputResponse | Promise<InputResponse>

/**
 * Responds to input requests without a user interface. Each input request reaches its handler once, no matter how many polls
 * and tabs see it. If the handler throws, the input request waits for `respond()`.
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
  if (typeof response !== 'object' || response === null) return 'it is not an object'
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
