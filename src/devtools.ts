/**
 * A panel for developers that shows every call, every poll and its reason, with switches that break the network on purpose.
 *
 * @packageDocumentation
 */
export type { DevtoolsTheme, TaskwireDevtoolsOptions } from './tools/devtools/devtoolsOptions.js'
export {
  createFaultInjection,
  type Fault,
  type FaultInjection,
  type FaultInjectionOptions,
  type FaultyEnvironment,
} from './tools/devtools/faults/createFaultInjection.js'
export type { ObservedClient } from './tools/devtools/model/devtoolsModel.js'
export {
  mountTaskwireDevtools,
  type TaskwireDevtools,
} from './tools/devtools/mountTaskwireDevtools.js'
export { type RecordReplayOptions, type ReplayRecorder, recordReplay } from './tools/devtools/recording/recordReplay.js'
export { type TaskwireDevtoolsPlugin, taskwireDevtoolsPlugin } from './tools/devtools/taskwireDevtoolsPlugin.js'
