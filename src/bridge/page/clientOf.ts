import { checkCall } from '../../core/client/checkOptions.js'
import { checkParams, readCallOptions } from '../../core/client/checkParams.js'
import type { TaskClientStore } from '../../core/client/createStore.js'
import type { Listeners } from '../../core/client/listeners.js'
import type { TaskClient, ToolCall, ToolCallOptions } from '../../core/client/taskClient.js'
import { createToolCallGroup } from '../../core/client/toolCallGroup.js'
import { inDevelopment } from '../../core/environment/inDevelopment.js'
import { TaskConfigurationError, TaskExpiredError } from '../../core/protocol/errors.js'
import type { Tool } from '../../core/protocol/tool.js'
import type { RecordOwner } from '../../core/record/record.js'
import type { SettledToolCall } from '../../core/record/toolCallState.js'
import type { AnyArguments } from '../../core/run/keys.js'
import { toolCallId } from '../../core/run/keys.js'
import { createEntry } from './entries.js'
import { createHandle, type HandleContext } from './handle.js'
import type { PageCalls } from './pageCalls.js'
import type { Post } from './requests.js'

export interface ClientParts extends Pick<TaskClient, 'id' | 'url' | 'resume'> {
  readonly owner: RecordOwner
  readonly store: TaskClientStore
  readonly calls: PageCalls
  readonly post: Post
  readonly settled: Listeners<[SettledToolCall]>
  readonly forgotten: Listeners<[(callId?: string) => boolean]>
  readonly closing: AbortController
  readonly heardAt: HandleContext['heardAt']
  readonly newsOf: HandleContext['newsOf']
  readonly open: () => void
  /** Resolves when the calls are known. `isAsked`: rejects where the backend refuses. */
  readonly untilKnown: (isAsked: boolean) => Promise<void>
  readonly close: (reason: Error) => void
}

/** What the app gets. */
export function clientOf({ owner, store, calls, post, settled, forgotten, ...parts }: ClientParts): TaskClient {
  const { id, url, resume, closing, heardAt, newsOf, open, untilKnown } = parts
  const context: HandleContext = { calls, post, newsOf, subscribe: store.subscribeCall, heardAt }

  function handleOf(callId: string): ToolCall | undefined {
    const entry = calls.entries.get(callId)
    if (entry === undefined) return undefined
    calls.fetchOutcome(entry)
    return createHandle(entry, context)
  }

  const client: TaskClient = {
    id,
    url,
    resume,
    store: store.api,
    connect: async () => {
      await untilKnown(true)
      await post({ type: 'connect' })
    },
    resumeToolCalls: async ({ callId } = {}) => {
      if (closing.signal.aborted) return []
      await untilKnown(false).catch(() => {})
      const found = callId === undefined ? [...calls.entries.values()] : [calls.entries.get(callId)]
      return found.flatMap((entry) => {
        if (entry === undefined || (callId === undefined && (entry.isOver || entry.shown.phase === 'ended'))) return []
        return handleOf(entry.callId) ?? []
      })
    },
    callTool: async (params, callOptions) => client.startToolCall(params, callOptions).result,
    startToolCall(params, callOptions: ToolCallOptions & AnyArguments = {}) {
      inDevelopment?.(() => checkCall(params, callOptions))
      const request = checkParams(params)
      const { signal, keepResult } = callOptions
      if (keepResult) {
        throw new TaskConfigurationError(
          `keepResult is not for a page with a backend${inDevelopment ? ': results stay there, as long as the MCP server keeps them. Leave it out, and have the backend store a result that must last longer.' : '.'}`,
        )
      }
      if (signal?.aborted || closing.signal.aborted)
        return refusedHandle(request.name, signal?.aborted ? signal.reason : closing.signal.reason)
      open()
      const { entry, refusal } = calls.start(request, readCallOptions(callOptions, undefined))
      calls.fetchOutcome(entry)
      return createHandle(entry, context, { signal, refusal })
    },
    resumeTask: (task) => {
      const callId = typeof task === 'string' ? task : task.taskId
      return handleOf(callId) ?? refusedHandle('', new TaskExpiredError('unknown-task', { callId }))
    },
    getToolCall: handleOf,
    toolCalls: (filter) => createToolCallGroup(client, filter),
    getToolCallState: store.getCall,
    subscribeToolCall: store.subscribeCall,
    toolCallId: (name, key) => toolCallId(owner, name, key),
    tasks: {
      get: () => notHere('tasks.get()'),
      update: () => notHere('tasks.update()'),
      cancel: () => notHere('tasks.cancel()'),
    },
    callToolRaw: () => notHere('callToolRaw()'),
    onToolCallSettled: settled.add,
    onForgotten: forgotten.add,
    observe: () => () => {},
    addCallMeta: () => () => {},
    forget: async (filter = {}) => {
      const { callId, scope = owner.scope, ...unknown } = filter
      if (
        scope !== owner.scope ||
        Object.keys(unknown).length > 0 ||
        ('callId' in filter && typeof callId !== 'string')
      )
        throw new TaskConfigurationError(
          'forget() of a page with a backend takes { callId }, or nothing for every call of its user.',
        )
      open()
      if (callId !== undefined && !calls.entries.has(callId)) {
        // What is called by this id, the news say. A call that is started meanwhile is wanted.
        await untilKnown(true)
        if (calls.entries.get(callId)?.start !== undefined) return
      }
      await calls.forget(callId)
    },
    listTools: async () => (await post({ type: 'listTools' })).tools as unknown as Tool[],
    authorize: () => notHere('authorize()'),
    finishAuthorization: () => notHere('finishAuthorization()'),
    signOut: async () => calls.dropKept(),
    close: async () => {
      parts.close(new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().'))
    },
  }

  /** A call that is not made, and is in no store. */
  function refusedHandle(name: string, error: unknown): ToolCall {
    const entry = createEntry({ callId: '', name, ref: { id: '' } })
    entry.failure = { error: error as Error, endedAt: 0 }
    entry.isOver = true
    entry.reject(error)
    return createHandle(entry, context)
  }

  return client
}

function notHere(what: string): Promise<never> {
  return Promise.reject(
    new TaskConfigurationError(
      `${what} is not for a page with a backend: task ids and tokens stay there. Do it in the backend, with the client that clientOf returns.`,
    ),
  )
}
