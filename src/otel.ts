/**
 * Spans and measurements of calls for OpenTelemetry, in the page and on the server.
 *
 * @packageDocumentation
 */
export {
  type InstrumentedClient,
  type InstrumentTaskClientOptions,
  instrumentTaskClient,
} from './tools/otel/instrumentTaskClient.js'
export { type InstrumentTaskServerOptions, instrumentTaskServer } from './tools/otel/instrumentTaskServer.js'
