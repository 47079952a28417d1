/**
 * A task server in memory, a simulated browser and faults to switch on, for the tests of an app.
 *
 * @packageDocumentation
 */
export type { CutOptions, DropOptions, FaultOptions, Faults, MalformedOptions, StatusOptions } from './faults.js'
export { createLiveServer } from './liveServer.js'
export type { ObservedServer, ObservedServerOptions } from './observedServer.js'
export type { LoggedRequest, RequestLog } from './requestLog.js'
export { type ScriptedTask, type ScriptStep, type ScriptTaskOptions, scriptTask } from './scriptTask.js'
export {
  createSimulatedBrowser,
  type SimulatedBrowser,
  type SimulatedBrowserOptions,
} from './simulatedBrowser.js'
export type { SimulatedClock } from './simulatedClock.js'
export { createSimulatedEnvironment, type SimulatedEnvironment } from './simulatedEnvironment.js'
export type { SimulatedPage } from './simulatedPage.js'
export { type FetchHandler, type MswHttp, taskHandlers } from './taskHandlers.js'
export { type TaskStoreTest, taskStoreContract } from './taskStoreContract.js'
export { createTestServer, type TestServer, type TestServerOptions } from './testServer.js'
