import type { MemoryServer, MemoryTool } from '../support/memoryServer.js'
import { bareLoop } from './bareLoop.js'
import { extTasks } from './extTasks.js'
import { sdkAlone } from './sdkAlone.js'
import { taskClient } from './taskClient.js'
import { withTasksAlone } from './withTasksAlone.js'

/** A connected client: calls a tool and resolves with its final result. */
export type CallTool = (name: MemoryTool) => Promise<unknown>

/** Everything that is measured side by side, each connected to a server of its own in a process of its own. */
export const contenders = {
  'bare loop': bareLoop,
  'SDK alone': sdkAlone,
  'ext-tasks': extTasks,
  withTasks: withTasksAlone,
  createTaskClient: taskClient,
} satisfies Record<string, (server: MemoryServer) => Promise<CallTool>>

export type Contender = keyof typeof contenders
