export {
  createSimulatedEnvironment,
  type SimulatedEnvironment,
  type SimulatedEnvironmentOptions,
} from './simulatedEnvironment.js'
