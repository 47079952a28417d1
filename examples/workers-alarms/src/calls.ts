import { DurableObject } from 'cloudflare:workers'
import { withoutTimers } from 'taskwire/alarms'
import { createTaskBridge } from 'taskwire/bridge/server'
import { createTaskClient } from 'taskwire/lite'
import { storageOf } from './storage'

export interface Env {
  CALLS: DurableObjectNamespace<Calls>
  REPORTS: Fetcher
}

/** The calls of one user. The object sleeps between two polls, and Cloudflare may end it at any time. */
export class Calls extends DurableObject<Env> {
  readonly #client = withoutTimers(createTaskClient, {
    url: 'https://reports.internal/mcp',
    fetch: (url, init) => this.env.REPORTS.fetch(url, init),
    storage: storageOf(this.ctx.storage),
  })

  readonly #bridge = createTaskBridge({
    clientOf: () => this.#client,
    allow: { tools: ['generate_report'] },
  })

  override async fetch(request: Request): Promise<Response> {
    const response = await this.#bridge.fetch(request)
    this.ctx.waitUntil(this.alarm())
    return response
  }

  override async alarm(): Promise<void> {
    // Where the object is ended during the tick, this alarm begins it again.
    await this.ctx.storage.setAlarm(Date.now() + 30_000)
    await this.#client.tick()
    const { nextWakeAt } = this.#client
    if (nextWakeAt === undefined) await this.ctx.storage.deleteAlarm()
    else await this.ctx.storage.setAlarm(nextWakeAt)
  }
}
