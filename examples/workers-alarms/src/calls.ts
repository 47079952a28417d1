import { DurableObject } from 'cloudflare:workers'
import { withoutTimers } from 'taskwire/alarms'
import { createTaskBridge, type OpenSocket } from 'taskwire/bridge/server'
import { createTaskClient } from 'taskwire/lite'
import { storageOf } from './storage'

export interface Env {
  CALLS: DurableObjectNamespace<Calls>
  REPORTS: Fetcher
}

/**
 * The calls of one user. The object sleeps between two polls, and Cloudflare
 * may end it at any time.
 */
export class Calls extends DurableObject<Env> {
  readonly #client = withoutTimers(createTaskClient, {
    url: 'https://reports.internal/mcp',
    fetch: (url, init) => this.env.REPORTS.fetch(url, init),
    storage: storageOf(this.ctx.storage),
  })

  readonly #bridge = createTaskBridge({
    clientOf: () => this.#client,
    allow: { tools: ['generate_report'] },
    // A timer would keep the object awake. Cloudflare answers the pings of the
    // pages.
    heartbeatMs: Number.POSITIVE_INFINITY,
  })

  readonly #pages = new Map<WebSocket, OpenSocket>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.setWebSocketAutoResponse(
      new WebSocketRequestResponsePair('ping', 'pong'),
    )
    // The sockets of the pages stay open while the object sleeps.
    for (const socket of ctx.getWebSockets())
      this.#open(socket, new Request('https://calls.internal/'))
  }

  #open(socket: WebSocket, request: Request): void {
    this.#pages.set(socket, this.#bridge.openSocket(request, socket))
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get('upgrade') === 'websocket') {
      const { 0: page, 1: socket } = new WebSocketPair()
      this.ctx.acceptWebSocket(socket)
      this.#open(socket, request)
      return new Response(null, { status: 101, webSocket: page })
    }
    // A page starts a call with a POST.
    if (request.method === 'POST') await this.#setAlarmInCase()
    const response = await this.#bridge.fetch(request)
    this.ctx.waitUntil(this.alarm())
    return response
  }

  override webSocketMessage(
    socket: WebSocket,
    message: string | ArrayBuffer,
  ): void {
    this.#pages.get(socket)?.onMessage(message)
  }

  override webSocketClose(socket: WebSocket): void {
    this.#pages.get(socket)?.onClose()
    this.#pages.delete(socket)
  }

  /** If the object is ended meanwhile, this alarm starts it again. */
  async #setAlarmInCase(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + 30_000)
  }

  override async alarm(): Promise<void> {
    await this.#setAlarmInCase()
    await this.#client.tick()
    const { nextWakeAt } = this.#client
    if (nextWakeAt === undefined) await this.ctx.storage.deleteAlarm()
    else await this.ctx.storage.setAlarm(nextWakeAt)
  }
}
