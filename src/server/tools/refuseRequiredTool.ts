import { isJsonObject } from '../../core/protocol/json.js'
import { errorResponse } from '../http/jsonRpcResponse.js'
import { requestParams } from '../http/requestParams.js'
import { missingTasksCapability } from '../http/tasksCapability.js'
import { toTaskFailure } from '../tasks/taskFailure.js'
import type { ToolDefinition } from './defineTool.js'

/**
 * The response to a client of an earlier revision that calls a tool which only tasks can run. It cannot wait for the
 * tool to say so: the SDK begins to answer such clients before. HTTP 200, or they would not read it.
 */
export function refuseRequiredTool(body: unknown, tools: readonly ToolDefinition[]): Response | undefined {
  if (!isJsonObject(body) || body['method'] !== 'tools/call') return undefined
  const { name } = requestParams(body)
  const isRequired = tools.some((tool) => tool.name === name && tool.taskSupport === 'required')
  return isRequired ? errorResponse(body, toTaskFailure(missingTasksCapability()), 200) : undefined
}
