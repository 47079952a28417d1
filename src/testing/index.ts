export type { CutOptions, DropOptions, FaultOptions, Faults, MalformedOptions, StatusOptions } from './faults.js'
export { createLiveServer } from './liveServer.js'
export type { ObservedServer, ObservedServerOptions } from './observedServer.js'
export type { LoggedRequest, RequestLog } from './requestLog.js'
export { type ScriptedTask, type ScriptStep, type ScriptTaskOptions, scriptTask } from './scriptTask.js'
export {
  createSimulatedBrowser,
  type SimulatedBrowser,
  type SimulatedBrowserOptions,
  type SimulatedClock,
  type SimulatedPage,
} from './simulatedBrowser.js'
export { createSimulatedEnvironment, type SimulatedEnvironment } from './simulatedEnvironment.js'
export { type FetchHandler, type MswHttp, taskHandlers } from './taskHandlers.js'
export { type TaskStoreTest, taskStoreContract } from './taskStoreContract.js'
export { createTestServer, type TestServer, type TestServerOptions } from './testServer.js'
