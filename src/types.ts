/**
 * Types that are parts of other types of this package and that few apps name: observations, parts of an `Environment`,
 * blocks of a result, auth providers. This entry has only types.
 *
 * @packageDocumentation
 */
export type { StartedCall } from './core/client/callMeta.js'
export type {
  CallObservation,
  ObservedCall,
  ObservedMessage,
  ObserveOptions,
  PageObservation,
  PollReason,
  ScheduledPoll,
  WireHeaders,
  WireObservation,
} from './core/client/observe/events.js'
export type { TaskClientBaseOptions } from './core/client/taskClient.js'
export type { Channel, HeldLock, Locks, Unsubscribe, WebStorage } from './core/environment/environment.js'
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from './core/protocol/callToolResult.js'
export type { CallMeta } from './core/protocol/taskPort.js'
export type { TaskClientSdkBaseOptions } from './sdk/sdkBaseOptions.js'
export type {
  AnyAuthProvider,
  AuthServer,
  BegunSignIn,
  BrowserSignIn,
} from './sdk/signIn/authProvider.js'
export type { SdkV1Client } from './sdk/v1/client.js'
