import { expect, test } from 'vitest'

/** What both clients bring with them, whatever the connection is made of. */
const ofEveryClient: string[] = [
  'AuthorizationFailedError',
  'ConnectionFailedError',
  'PageOutdatedError',
  'TaskCancelledError',
  'TaskConfigurationError',
  'TaskError',
  'TaskExpiredError',
  'TaskFailedError',
  'TaskInputError',
  'TaskInputRequiredError',
  'TaskProtocolError',
  'TaskRequestError',
  'TaskStorageError',
  'TaskStuckError',
  'TaskUnreachableError',
  'TasksUnsupportedError',
  'ToolCallInterruptedError',
  'ToolCallKeyConflictError',
  'ToolCallRejectedError',
  'ToolOutputError',
  'createTaskClient',
  'isTaskError',
]

/**
 * What each entry exports at runtime. A name that comes or goes here is a change of the public API: it belongs into the
 * changelog, and one that goes belongs into a major version. `taskwire/svelte` stands on components, which Node cannot load:
 * test/bindings/svelte.test.ts has its names.
 */
const entries: Record<string, { load: () => Promise<object>; names: string[] }> = {
  taskwire: {
    load: () => import('taskwire'),
    names: [...ofEveryClient, 'withTasks'],
  },
  'taskwire/lite': { load: () => import('taskwire/lite'), names: ofEveryClient },
  'taskwire/sdk-v1': { load: () => import('taskwire/sdk-v1'), names: ofEveryClient },
  'taskwire/ai': {
    load: () => import('taskwire/ai'),
    names: ['isToolStatus', 'mcpTools', 'respondToToolApproval', 'resumeToolParts', 'toolApprovalOf'],
  },
  'taskwire/alarms': { load: () => import('taskwire/alarms'), names: ['withoutTimers'] },
  'taskwire/auth': { load: () => import('taskwire/auth'), names: ['browserAuthProvider'] },
  'taskwire/backend': {
    load: () => import('taskwire/backend'),
    names: [
      'createClientPool',
      'fileStorage',
      'postgresBackendDdl',
      'postgresEnvironment',
      'postgresStorage',
      'redisEnvironment',
      'redisStorage',
    ],
  },
  'taskwire/backend/push': {
    load: () => import('taskwire/backend/push'),
    names: ['DeliveryFailedError', 'createPush'],
  },
  'taskwire/backend/webhooks': {
    load: () => import('taskwire/backend/webhooks'),
    names: ['DeliveryFailedError', 'createWebhooks'],
  },
  'taskwire/bridge': { load: () => import('taskwire/bridge'), names: [...ofEveryClient, 'webSocket'] },
  'taskwire/bridge/server': { load: () => import('taskwire/bridge/server'), names: ['createTaskBridge'] },
  'taskwire/core': {
    load: () => import('taskwire/core'),
    names: [
      ...ofEveryClient.filter((name) => name !== 'createTaskClient'),
      'createClient',
      'forms',
      'inputs',
      'observing',
      'push',
      'tabs',
    ],
  },
  'taskwire/devtools': {
    load: () => import('taskwire/devtools'),
    names: ['createFaultInjection', 'mountTaskwireDevtools', 'recordReplay', 'taskwireDevtoolsPlugin'],
  },
  'taskwire/diagnose': { load: () => import('taskwire/diagnose'), names: ['diagnose'] },
  'taskwire/forms': { load: () => import('taskwire/forms'), names: ['createElicitationForm'] },
  'taskwire/gateway': { load: () => import('taskwire/gateway'), names: ['createTaskGateway'] },
  'taskwire/jobs': { load: () => import('taskwire/jobs'), names: ['byStatusField', 'defineJob'] },
  'taskwire/results': { load: () => import('taskwire/results'), names: ['keptResults'] },
  'taskwire/notify': { load: () => import('taskwire/notify'), names: ['notifyWhenSettled'] },
  'taskwire/types': { load: () => import('taskwire/types'), names: [] },
  'taskwire/otel': {
    load: () => import('taskwire/otel'),
    names: ['instrumentTaskClient', 'instrumentTaskServer'],
  },
  'taskwire/query': {
    load: () => import('taskwire/query'),
    names: ['toolCallMutationOptions', 'toolCallQueryOptions'],
  },
  'taskwire/react': {
    load: () => import('taskwire/react'),
    names: [
      'TaskClientProvider',
      'useElicitationForm',
      'useInputRequests',
      'useSuspenseToolCall',
      'useTaskClient',
      'useTaskConnection',
      'useToolCall',
      'useToolCallGroup',
      'useToolCallMutation',
      'useToolCallState',
      'useToolCalls',
    ],
  },
  'taskwire/server': {
    load: () => import('taskwire/server'),
    names: ['InMemoryTaskStore', 'createHealthHandler', 'createTaskServer', 'createTaskWorker', 'defineTool'],
  },
  'taskwire/server/admin': { load: () => import('taskwire/server/admin'), names: ['createTaskAdmin'] },
  'taskwire/server/bullmq': { load: () => import('taskwire/server/bullmq'), names: ['bullmqQueue'] },
  'taskwire/server/postgres': {
    load: () => import('taskwire/server/postgres'),
    names: ['migratePostgres', 'postgresDdl', 'postgresQueue', 'postgresTaskStore'],
  },
  'taskwire/server/redis': { load: () => import('taskwire/server/redis'), names: ['redisTaskStore'] },
  'taskwire/solid': {
    load: () => import('taskwire/solid'),
    names: [
      'TaskClientProvider',
      'useElicitationForm',
      'useInputRequests',
      'useTaskClient',
      'useTaskConnection',
      'useToolCall',
      'useToolCallGroup',
      'useToolCallMutation',
      'useToolCallState',
      'useToolCalls',
    ],
  },
  'taskwire/testing': {
    load: () => import('taskwire/testing'),
    names: [
      'createLiveServer',
      'createSimulatedBrowser',
      'createSimulatedEnvironment',
      'createTestServer',
      'scriptTask',
      'taskHandlers',
      'taskStoreContract',
    ],
  },
  'taskwire/vue': {
    load: () => import('taskwire/vue'),
    names: [
      'provideTaskClient',
      'taskClientPlugin',
      'useElicitationForm',
      'useInputRequests',
      'useTaskClient',
      'useTaskConnection',
      'useToolCall',
      'useToolCallGroup',
      'useToolCallMutation',
      'useToolCallState',
      'useToolCalls',
    ],
  },
}

test.for(Object.entries(entries))('%s exports what it always has', async ([, { load, names }]) => {
  expect(Object.keys(await load()).sort()).toEqual([...names].sort())
})
