/**
 * A panel for developers that shows every call, every poll and its reason, and switches that break the network on
 * purpose.
 *
 * @packageDocumentation
 */
export type { DevtoolsTheme, TaskwireDevtoolsOptions } from './devtoolsOptions.js'
export {
  createFaultInjection,
  type Fault,
  type FaultInjection,
  type FaultInjectionOptions,
  type FaultyEnvironment,
} from './faults/createFaultInjection.js'
export type { ObservedClient } from './model/devtoolsModel.js'
export {
  mountTaskwireDevtools,
  type TaskwireDevtools,
} from './mountTaskwireDevtools.js'
export { type TaskwireDevtoolsPlugin, taskwireDevtoolsPlugin } from './taskwireDevtoolsPlugin.js'
