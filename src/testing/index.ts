export {
  createSimulatedBrowser,
  type SimulatedBrowser,
  type SimulatedBrowserOptions,
  type SimulatedClock,
  type SimulatedPage,
} from './simulatedBrowser.js'
export { createSimulatedEnvironment, type SimulatedEnvironment } from './simulatedEnvironment.js'
