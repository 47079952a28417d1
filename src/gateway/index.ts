/**
 * A gateway in front of any MCP server: pages call its tools as tasks.
 *
 * @packageDocumentation
 */
export { createTaskGateway, type TaskGateway, type TaskGatewayRequestOptions } from './createTaskGateway.js'
export type { GatewayCaller, GatewayRules, TaskGatewayOptions } from './taskGatewayOptions.js'
