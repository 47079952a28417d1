// What `taskwire` and `taskwire/lite` both have, whatever the connection is made of.

export type { Environment } from '../environment/environment.js'
export type { CallToolResult } from '../protocol/callToolResult.js'
export { TaskError } from '../protocol/errorJson.js'
export {
  AuthorizationFailedError,
  type AuthorizationFailure,
  ConnectionFailedError,
  isTaskError,
  PageOutdatedError,
  TaskCancelledError,
  TaskConfigurationError,
  type TaskErrorJson,
  type TaskErrorOptions,
  TaskExpiredError,
  TaskFailedError,
  TaskInputError,
  TaskInputRequiredError,
  TaskProtocolError,
  type TaskProtocolSource,
  TaskRequestError,
  type TaskRequestFailure,
  TaskStorageError,
  TaskStuckError,
  TasksUnsupportedError,
  TaskUnreachableError,
  ToolCallInterruptedError,
  ToolCallKeyConflictError,
  ToolCallRejectedError,
  ToolOutputError,
} from '../protocol/errors.js'
export type { FormIssue } from '../protocol/formIssues.js'
export type {
  ElicitFormRequest,
  ElicitUrlRequest,
  InputRequest,
  InputResponse,
  ListRootsRequest,
  SamplingRequest,
} from '../protocol/inputRequest.js'
export type { JsonObject } from '../protocol/json.js'
export type { TaskProgress } from '../protocol/progress.js'
export type { Register, ToolCallMeta } from '../protocol/register.js'
export type {
  CancelledTask,
  CompletedTask,
  DetailedTask,
  FailedTask,
  InputRequiredTask,
  Task,
  TaskFailure,
  TaskStatus,
  WorkingTask,
} from '../protocol/task.js'
export type { Tool } from '../protocol/tool.js'
export type {
  CompletedToolCall,
  EndedToolCall,
  FailedToolCall,
  InputResponseState,
  RunningToolCall,
  SettledToolCall,
  ToolCallNetwork,
  ToolCallPhase,
  ToolCallState,
} from '../record/toolCallState.js'
export type { InputHandler, InputHandlerContext, InputHandlers } from '../run/inputs.js'
export type { KeptResults } from '../storage/keptResults.js'
export type { TaskStorage } from '../storage/taskStorage.js'
export type { ConnectionState } from '../wire/connection.js'
export type { TaskClientObservation } from './observe/events.js'
export type {
  ForgetFilter,
  TaskClient,
  TaskClientState,
  TaskErrorContext,
  TaskReference,
  TaskRequests,
  ToolCall,
  ToolCallOptions,
  ToolCallParams,
} from './taskClient.js'
export type { ToolCallGroup, ToolCallGroupState, ToolCallsFilter } from './toolCallGroup.js'
export type {
  AnyTools,
  CheckIsErrorFirst,
  RegisteredTools,
  ToolArguments,
  ToolName,
  ToolOutput,
  ToolResult,
  ToolsOf,
  WithArguments,
} from './tools.js'
