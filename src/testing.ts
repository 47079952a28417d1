/**
 * A task server in memory, a simulated browser and faults to switch on, for the tests of an app.
 *
 * @packageDocumentation
 */
export type {
  CutOptions,
  DropOptions,
  FaultOptions,
  Faults,
  MalformedOptions,
  StatusOptions,
} from './tools/testing/faults.js'
export { createLiveServer } from './tools/testing/liveServer.js'
export type { ObservedServer, ObservedServerOptions } from './tools/testing/observedServer.js'
export type { LoggedRequest, RequestLog } from './tools/testing/requestLog.js'
export { type ScriptedTask, type ScriptStep, type ScriptTaskOptions, scriptTask } from './tools/testing/scriptTask.js'
export {
  createSimulatedBrowser,
  type SimulatedBrowser,
  type SimulatedBrowserOptions,
} from './tools/testing/simulatedBrowser.js'
export type { SimulatedClock } from './tools/testing/simulatedClock.js'
export { createSimulatedEnvironment, type SimulatedEnvironment } from './tools/testing/simulatedEnvironment.js'
export type { SimulatedPage } from './tools/testing/simulatedPage.js'
export { type FetchHandler, type MswHttp, taskHandlers } from './tools/testing/taskHandlers.js'
export { type TaskStoreTest, taskStoreContract } from './tools/testing/taskStoreContract.js'
export { createTestServer, type TestServer, type TestServerOptions } from './tools/testing/testServer.js'
