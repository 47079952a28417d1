import { type Json, rpcRequest } from '../../server/support/rpc.js'
import { pause } from './faults.js'

/** A call of the chaos. */
export interface Call {
  readonly tool: string
  /** Also its idempotency key. */
  readonly key: string
  taskId?: string
  /** The first state after its end that anybody saw. */
  end?: Json
}

/** Sends requests to web processes. */
export interface Client {
  readonly refusals: number
  /** Errors of a `tools/call` that say more than that it may be sent again: no tool runs in a web process. */
  readonly lies: readonly string[]
  /** Calls a tool under its key, again and again until there is a task, or the time is over. */
  start(call: Call, ms: number, until: number): Promise<void>
  /** Polls calls that are open, and answers what they ask, until it is enough. */
  look(calls: readonly Call[], isEnough: () => boolean, until: number): Promise<void>
  /** The task as it stands, once a web process says so. */
  read(taskId: string): Promise<Json | undefined>
}

const ENDED = ['completed', 'failed', 'cancelled']

export function createClient(urls: readonly string[], random: () => number): Client {
  const lies: string[] = []
  let refusals = 0

  async function post(method: string, params: Json, key?: string): Promise<{ status: number; body: Json } | undefined> {
    const url = urls[Math.floor(random() * urls.length)] ?? ''
    const meta = key === undefined ? {} : { meta: { 'dev.taskwire/idempotencyKey': key.padEnd(32, '-') } }
    const { headers, body } = rpcRequest(method, params, meta)
    try {
      const text = await new Response(body).text()
      const response = await fetch(url, { method: 'POST', headers, body: text, signal: AbortSignal.timeout(15_000) })
      return { status: response.status, body: (await response.json()) as Json }
    } catch {
      return undefined
    }
  }

  const resultOf = (answer: { body: Json } | undefined) => answer?.body['result'] as Json | undefined

  async function lookAt(call: Call): Promise<void> {
    const { taskId = '' } = call
    const task = resultOf(await post('tasks/get', { taskId }))
    if (task !== undefined && ENDED.includes(String(task['status']))) call.end = task
    const asked = Object.keys((task?.['inputRequests'] ?? {}) as Json)
    if (asked.length === 0) return
    const answers = asked.map((key) => [key, { action: 'accept', content: { sure: true } }])
    await post('tasks/update', { taskId, inputResponses: Object.fromEntries(answers) })
  }

  return {
    get refusals() {
      return refusals
    },
    lies,

    async start(call, ms, until) {
      const params = { name: call.tool, arguments: { key: call.key, ms } }
      while (call.taskId === undefined && performance.now() < until) {
        const answer = await post('tools/call', params, call.key)
        const taskId = resultOf(answer)?.['taskId']
        if (typeof taskId === 'string') call.taskId = taskId
        else if (answer?.status === 503 || answer?.status === 429) refusals += 1
        else if (answer !== undefined) lies.push(JSON.stringify(answer))
        if (call.taskId === undefined) await pause(300 + 700 * random())
      }
    },

    async look(calls, isEnough, until) {
      while (!isEnough() && performance.now() < until) {
        const open = calls.filter(({ end, taskId }) => end === undefined && taskId !== undefined)
        for (let from = 0; from < open.length; from += 20) await Promise.all(open.slice(from, from + 20).map(lookAt))
        await pause(100)
      }
    },

    async read(taskId) {
      for (let attempt = 0; attempt < 20; attempt += 1) {
        const task = resultOf(await post('tasks/get', { taskId }))
        if (task !== undefined) return task
        await pause(200)
      }
      return undefined
    },
  }
}
