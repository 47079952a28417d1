/**
 * A gateway in front of any MCP server: pages call its tools as tasks.
 *
 * @packageDocumentation
 */
export {
  createTaskGateway,
  type TaskGateway,
  type TaskGatewayRequestOptions,
} from './tools/gateway/createTaskGateway.js'
export type { GatewayCaller, GatewayRules, TaskGatewayOptions } from './tools/gateway/taskGatewayOptions.js'
