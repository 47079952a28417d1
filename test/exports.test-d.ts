import type * as taskwire from 'taskwire'
import type * as backend from 'taskwire/backend'
import type * as diagnose from 'taskwire/diagnose'
import type * as forms from 'taskwire/forms'
import type * as lite from 'taskwire/lite'
import type * as otel from 'taskwire/otel'
import type * as query from 'taskwire/query'
import type * as react from 'taskwire/react'
import type * as server from 'taskwire/server'
import type * as bullmq from 'taskwire/server/bullmq'
import type * as postgres from 'taskwire/server/postgres'
import type * as solid from 'taskwire/solid'
import type * as svelte from 'taskwire/svelte'
import type * as types from 'taskwire/types'
import type * as vue from 'taskwire/vue'
import { describe, expectTypeOf, it } from 'vitest'

/**
 * Types that stand in public signatures, by the entry that has them: what an app can pass, it can name. That none is
 * missing, the API reference says (`npm run docs:build`); that none goes, this file.
 */
describe('the types of signatures', () => {
  it('are exported by taskwire', () => {
    expectTypeOf<Required<taskwire.InputHandlers>['roots']>().toEqualTypeOf<
      taskwire.InputHandler<taskwire.ListRootsRequest>
    >()
    expectTypeOf<taskwire.Environment['locks']>().toExtend<types.Locks | undefined>()
    expectTypeOf<ReturnType<taskwire.Environment['storage']>>().toExtend<types.WebStorage | undefined>()
    expectTypeOf<ReturnType<NonNullable<taskwire.Environment['channel']>>>().toExtend<types.Channel | undefined>()
    expectTypeOf<ReturnType<taskwire.Environment['onOnlineChange']>>().toEqualTypeOf<types.Unsubscribe>()
    expectTypeOf<taskwire.BrowserAuthProvider>().toExtend<types.AnyAuthProvider>()
    expectTypeOf<types.CallObservation>().toExtend<types.ObservedCall>()
    expectTypeOf<types.CallObservation & { type: 'poll-answered' }>().toExtend<types.ScheduledPoll>()
    expectTypeOf<types.WireObservation>().toExtend<types.ObservedMessage>()
    expectTypeOf<taskwire.WithArguments<{ at?: string }>>().toEqualTypeOf<{ arguments?: { at?: string } | undefined }>()
    expectTypeOf<taskwire.LegacyTasksMode>().toEqualTypeOf<'auto' | 'required-only' | 'never'>()
    expectTypeOf<types.SdkV1Client['close']>().toEqualTypeOf<() => Promise<void>>()
    expectTypeOf<taskwire.CheckIsErrorFirst>().toEqualTypeOf<lite.CheckIsErrorFirst>()
    expectTypeOf<taskwire.JsonObject>().toEqualTypeOf<lite.JsonObject>()
  })

  it('are exported by taskwire/backend', () => {
    expectTypeOf<ReturnType<backend.ClientPoolOptions['create']>>().toEqualTypeOf<backend.PooledClientOptions>()
    expectTypeOf<ReturnType<typeof backend.createClientPool>>().toEqualTypeOf<backend.ClientPool>()
    expectTypeOf<ReturnType<typeof backend.fileStorage>>().toEqualTypeOf<taskwire.TaskStorage>()
    expectTypeOf<Parameters<typeof backend.redisStorage>>().toEqualTypeOf<[backend.RedisStorageOptions]>()
    expectTypeOf<backend.RedisStorageOptions['redis']>().toEqualTypeOf<backend.RecordsRedis>()
    expectTypeOf<Parameters<typeof backend.postgresStorage>>().toEqualTypeOf<[backend.PostgresStorageOptions]>()
    expectTypeOf<backend.PostgresStorageOptions['pool']>().toEqualTypeOf<backend.PostgresPool>()
    expectTypeOf<Parameters<typeof backend.redisEnvironment>>().toEqualTypeOf<[backend.RedisEnvironmentOptions]>()
    expectTypeOf<backend.RedisEnvironmentOptions['redis']>().toEqualTypeOf<backend.SharingRedis>()
    expectTypeOf<Parameters<typeof backend.postgresEnvironment>>().toEqualTypeOf<[backend.PostgresEnvironmentOptions]>()
    expectTypeOf<ReturnType<typeof backend.redisEnvironment>>().toEqualTypeOf<backend.BackendEnvironment>()
    expectTypeOf<backend.BackendEnvironment>().toExtend<Partial<taskwire.Environment>>()
    // The pool sets the scope, and a client without a storage would forget everything.
    expectTypeOf<{ url: string; storage: 'memory' }>().toExtend<backend.PooledClientOptions>()
    expectTypeOf<{ url: string }>().not.toExtend<backend.PooledClientOptions>()
    expectTypeOf<{ url: string; storage: 'memory'; scope: string }>().not.toExtend<backend.PooledClientOptions>()
  })

  it('are exported by each binding', () => {
    type Options = query.ToolCallQueryBase<lite.AnyTools, string, undefined, unknown>
    expectTypeOf<react.UseToolCallOptions<lite.AnyTools, string>>().toExtend<Options & react.OnSettled>()
    expectTypeOf<react.ToolCallControls>().toExtend<react.ToolCallMembers & react.ToolCallActions>()
    expectTypeOf<vue.ToolCallControls>().toEqualTypeOf<vue.ToolCallActions & vue.RefsOf<vue.ToolCallMembers>>()
    expectTypeOf<solid.ToolCallControls>().toEqualTypeOf<svelte.ToolCallControls>()
    expectTypeOf<react.UseToolCallResult<string>>().toExtend<react.ToolCallRetry>()
    expectTypeOf<react.UseToolCallMutationResult<string, void>>().toExtend<react.ToolCallMutationRetry>()
    expectTypeOf<react.UseElicitationFormResult>().toExtend<
      react.ElicitationActions & react.ElicitationProps<react.ElicitationInputProps>
    >()
    expectTypeOf<vue.ElicitationInputProps>().toEqualTypeOf<vue.ElicitationControlProps<'onInput' | 'onChange'>>()
    type Shown = [solid.ElicitationInputField, solid.ElicitationOptionField, solid.UseElicitationFormOptions]
    expectTypeOf<Shown>().toEqualTypeOf<
      [svelte.ElicitationInputField, svelte.ElicitationOptionField, svelte.UseElicitationFormOptions]
    >()
  })

  it('are exported by the other entries', () => {
    type Query = query.ToolCallQuery<unknown>
    expectTypeOf<Query['enabled']>().toEqualTypeOf<query.ToolCallQueryEnabled>()
    expectTypeOf<Parameters<Query['queryFn']>>().toEqualTypeOf<[query.ToolCallQueryContext]>()
    expectTypeOf<query.QueryOfCall['state']['status']>().toEqualTypeOf<string>()
    expectTypeOf<forms.FormProblemCode>().toExtend<keyof forms.ElicitationWords>()
    expectTypeOf<diagnose.Diagnosis['run']>().toExtend<diagnose.TaskRun | undefined>()
    expectTypeOf<diagnose.TaskRun['polls']>().toEqualTypeOf<readonly diagnose.Poll[]>()
    expectTypeOf<taskwire.TaskClient>().toExtend<otel.InstrumentedClient>()
    expectTypeOf<keyof server.ToolsOfDefinitions<[server.ToolDefinition]>>().toExtend<string | number>()
    expectTypeOf<server.TaskRecord['repetition']>().toExtend<server.TaskRepetition | undefined>()
    expectTypeOf<ReturnType<postgres.PostgresClient['query']>>().toExtend<Promise<postgres.PostgresResult>>()
    expectTypeOf<InstanceType<bullmq.BullmqClasses<object>['Queue']>>().toEqualTypeOf<bullmq.BullmqQueue>()
    expectTypeOf<InstanceType<bullmq.BullmqClasses<object>['Worker']>>().toEqualTypeOf<bullmq.BullmqWorker>()
  })
})
