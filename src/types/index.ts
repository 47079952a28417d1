/**
 * Types that stand in other types of this package, and that few apps name: observations, parts of an `Environment`, blocks
 * of a result, auth providers. There is nothing to run.
 *
 * @packageDocumentation
 */
export type { StartedCall } from '../client/callMeta.js'
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
} from '../client/observe/events.js'
export type { TaskClientSdkBaseOptions } from '../client/sdkBaseOptions.js'
export type { TaskClientBaseOptions } from '../client/taskClient.js'
export type {
  AnyAuthProvider,
  AuthServer,
  BegunSignIn,
  BrowserSignIn,
} from '../connection/authProvider.js'
export type { SdkV1Client } from '../connection/sdkV1/client.js'
export type { CallMeta } from '../core/taskPort.js'
export type { Channel, Locks, Unsubscribe, WebStorage } from '../environment/environment.js'
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from '../protocol/callToolResult.js'
