import type { Client } from '@modelcontextprotocol/client'
import type { OnProtocolIssue } from '../../protocol/task.js'
import type { EraTasks } from '../taskApi.js'
import type { TaskTransport } from '../transport/taskTransport.js'
import type { LegacyOptions } from './options.js'
import { createLegacyTasks, type LegacyTasksOptions } from './tasks.js'
import { transportWire } from './transportWire.js'

export interface LegacyTasksOverOptions {
  readonly transport: TaskTransport
  readonly client: Client
  readonly capabilities: unknown
  readonly missingCapability: LegacyTasksOptions['missingCapability']
  readonly onIssue: OnProtocolIssue
  readonly legacy: LegacyOptions
}

/** Tasks of 2025-11-25 over an SDK v2 client. Loaded where a server speaks it: most apps of tomorrow need none of this. */
export function legacyTasksOver({ transport, client, legacy, ...options }: LegacyTasksOverOptions): EraTasks {
  return createLegacyTasks({
    ...options,
    ...legacy,
    wire: transportWire(transport, legacy.addressesSessions),
    listTools: async () => (await client.listTools()).tools,
    onSessionLost: () => void client.close(),
  })
}
