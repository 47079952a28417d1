import fc from 'fast-check'
import type { InputHandlers, InputRequest, InputResponse } from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import {
  ack,
  created,
  createScriptedServer,
  http,
  type Reply,
  snapshot,
  unreachable,
} from './support/scriptedServer.js'

/** One input request of the task. All times in seconds since its creation. */
interface Plan {
  readonly askedAt: number
  /** How long the server goes on showing it after it has the response. */
  readonly lingers: number
  /** When the user answers it, after they have seen it. */
  readonly thinks: number
  readonly isHandled: boolean
}

/** What happens to each `tasks/update` in turn. */
type Fate = 'arrives' | 'lost' | 'acknowledgement lost' | 'refused for now'

const plan: fc.Arbitrary<Plan> = fc.record({
  askedAt: fc.integer({ min: 0, max: 8 }),
  lingers: fc.integer({ min: 0, max: 6 }),
  thinks: fc.integer({ min: 0, max: 5 }),
  isHandled: fc.boolean(),
})
const fates = fc.array(fc.constantFrom<Fate>('arrives', 'lost', 'acknowledgement lost', 'refused for now'), {
  maxLength: 6,
})
/** Snapshots that come too late: how many seconds old each poll's answer is. */
const delays = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 })

const question = (index: number, isHandled: boolean): InputRequest =>
  isHandled
    ? { method: 'roots/list', params: { index } }
    : {
        method: 'elicitation/create',
        params: { mode: 'form', message: `${index}`, requestedSchema: { type: 'object' } },
      }

it('however polls, responses and failures interleave, each input request is shown once and answered once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 1, maxLength: 4 }),
      fates,
      delays,
      async (plans, fatesOfUpdates, staleness) => {
        const page = createSimulatedEnvironment()
        const start = page.now()
        const seconds = () => (page.now() - start) / 1000
        const arrived = new Map<string, { at: number; answers: InputResponse[] }>()
        const handled: string[] = []
        const acknowledged = new Set<string>()
        const shownAgain: string[] = []
        let polls = 0
        let updates = 0

        /** What the server shows of the task as it was at a time. */
        const asOf = (at: number): Reply => {
          const open = plans.flatMap(({ askedAt, lingers, isHandled }, index) => {
            const answer = arrived.get(`q${index}`)
            const isOver = answer !== undefined && at >= answer.at + lingers
            return at >= askedAt && !isOver ? [[`q${index}`, question(index, isHandled)] as const] : []
          })
          const lastUpdatedAt = new Date(start + at * 1000).toISOString()
          if (open.length > 0)
            return snapshot({ status: 'input_required', inputRequests: Object.fromEntries(open), lastUpdatedAt })
          const isDone = plans.every((_, index) => arrived.has(`q${index}`))
          return isDone
            ? snapshot({ status: 'completed', result: { content: [] }, lastUpdatedAt })
            : snapshot({ lastUpdatedAt })
        }
        const server = createScriptedServer({ now: page.now })
        server.on('tools/call', created())
        server.on('tasks/get', (request) => {
          const age = staleness[polls++ % staleness.length] ?? 0
          return asOf(Math.max(0, seconds() - age))(request)
        })
        server.on('tasks/update', (request) => {
          const fate = fatesOfUpdates[updates++] ?? 'arrives'
          if (fate === 'lost') return unreachable(request)
          if (fate === 'refused for now') return http(503)(request)
          for (const [key, answer] of Object.entries(
            request.params['inputResponses'] as Record<string, InputResponse>,
          )) {
            const known = arrived.get(key) ?? { at: seconds(), answers: [] }
            arrived.set(key, { ...known, answers: [...known.answers, answer] })
          }
          return fate === 'arrives' ? ack(request) : unreachable(request)
        })

        const handlers: InputHandlers = {
          roots: (_, { inputKey }) => {
            handled.push(inputKey)
            return { roots: [], answer: handled.length }
          },
        }
        const client = createTaskClient({
          url: 'http://localhost/mcp',
          transportOptions: { fetch: server.fetch },
          environment: page.environment,
          input: { handlers, stuckAfterPolls: 1000 },
        })
        const call = client.startToolCall({ name: 'ask' })
        const answering = new Set<string>()
        call.subscribe(({ inputRequests }) => {
          for (const key of Object.keys(inputRequests)) {
            if (acknowledged.has(key)) shownAgain.push(key)
            if (answering.has(key)) continue
            answering.add(key)
            const { thinks } = plans[Number(key.slice(1))] ?? { thinks: 0 }
            page.environment.setTimeout(() => {
              call.respond(key, { action: 'accept', content: {} }).then(
                () => acknowledged.add(key),
                () => answering.delete(key),
              )
            }, thinks * 1000)
          }
        })
        await page.advance(120_000)

        expect(shownAgain).toEqual([])
        expect(handled).toEqual([...new Set(handled)])
        for (const { answers } of arrived.values()) {
          for (const answer of answers) expect(answer).toEqual(answers[0])
        }
        expect(call.getState().error).toBeUndefined()
        expect(call.getState().phase).toBe('completed')
        await client.close()
      },
    ),
    { numRuns: 150 },
  )
})
