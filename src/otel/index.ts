export {
  type InstrumentedClient,
  type InstrumentTaskClientOptions,
  instrumentTaskClient,
} from './instrumentTaskClient.js'
export { type InstrumentTaskServerOptions, instrumentTaskServer } from './instrumentTaskServer.js'
