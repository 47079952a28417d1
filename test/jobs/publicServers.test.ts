import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { FIXTURES } from './fixtures.js'
import { createJobVisits } from './jobVisits.js'

describe.each(FIXTURES.map((fixture) => [fixture.server, fixture] as const))('a job of %s', (_, fixture) => {
  const intervalMs = fixture.job.intervalMs ?? 1000
  const visits = () => createJobVisits(createTaskClient, fixture)

  it('is one call: it is polled at its interval, shows its progress, and ends with its result', async () => {
    const { browser, server, open, start, says, polls, started } = visits()
    const call = start(open())
    await browser.advance(intervalMs * 2 + 10)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
    expect(call.getState().task?.progress).toEqual(fixture.progress)
    says('completed')
    await browser.advance(intervalMs)
    await expect(call.result).resolves.toEqual(fixture.outcome)
    expect(started()).toHaveLength(1)
    expect(polls().map(({ at }) => at)).toEqual([intervalMs, 2 * intervalMs, 3 * intervalMs])
    expect(polls()[0]?.params).toMatchObject({ arguments: fixture.asked })
    expect(server.received('tasks/*')).toEqual([])
    expect(server.received('subscriptions/*')).toEqual([])
  })

  it('goes on after a reload, and ends in the next page', async () => {
    const { browser, open, start, says, polls, started, records } = visits()
    const before = open()
    start(before)
    await browser.advance(intervalMs + 10)
    expect(records()).toMatchObject([{ tool: fixture.call.name, task: { status: 'working' } }])
    await before.page.close()
    says('completed')
    const call = start(open())
    await browser.advance(intervalMs)
    await expect(call.result).resolves.toEqual(fixture.outcome)
    expect(started()).toHaveLength(1)
    expect(polls().map(({ at }) => at)).toEqual([intervalMs, 2 * intervalMs])
  })

  it('is started once and polled once by two tabs', async () => {
    const { browser, open, start, says, polls, started } = visits()
    const calls = [start(open()), start(open())]
    await browser.advance(intervalMs + 10)
    says('completed')
    await browser.advance(intervalMs)
    for (const { result } of calls) await expect(result).resolves.toEqual(fixture.outcome)
    expect(started()).toHaveLength(1)
    expect(polls().map(({ at }) => at)).toEqual([intervalMs, 2 * intervalMs])
  })

  it.runIf(fixture.cancels)('is cancelled by the tool for it, and the next poll says so', async () => {
    const { browser, open, start, cancelled } = visits()
    const call = start(open())
    await browser.advance(intervalMs + 10)
    await call.cancel()
    expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: true })
    await browser.advance(intervalMs)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
    expect(cancelled()).toHaveLength(1)
  })

  it.runIf(fixture.cancels === undefined)('says that it cannot be cancelled, and goes on', async () => {
    const { browser, open, start, says } = visits()
    const call = start(open())
    await browser.advance(intervalMs + 10)
    await expect(call.cancel()).rejects.toMatchObject({
      name: 'TasksUnsupportedError',
      message: `The job of "${fixture.call.name}" cannot be cancelled: its defineJob names no tool for it. The job keeps running, and the call with it.`,
    })
    expect(call.getState()).toMatchObject({ phase: 'working', isCancelling: false })
    says('completed')
    await browser.advance(intervalMs)
    await expect(call.result).resolves.toEqual(fixture.outcome)
  })

  it('fails with the words of the server', async () => {
    const { browser, open, start, says } = visits()
    const call = start(open())
    says('failed')
    await browser.advance(intervalMs)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskFailedError', message: fixture.reason })
  })

  it('is polled on where its status tool lies once, and the state says why', async () => {
    const { browser, open, start, says } = visits()
    const call = start(open())
    says('lie')
    await browser.advance(intervalMs + 10)
    const { network, lastError, phase } = call.getState()
    expect({ network, phase }).toEqual({ network: 'retrying', phase: 'working' })
    expect(lastError?.message).toMatch(/status|read\(\)/)
    expect(lastError?.message).not.toContain(fixture.id)
    says('completed')
    await browser.advance(60_000)
    await expect(call.result).resolves.toEqual(fixture.outcome)
  })

  it('is over where the server does not know it any longer', async () => {
    const { browser, open, start, says, polls } = visits()
    const call = start(open())
    says('gone')
    await browser.advance(intervalMs + 10)
    const error = await call.result.catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
    expect((error as Error).message).toContain(`does not know this job of "${fixture.call.name}"`)
    expect((error as Error).message).not.toContain(fixture.id)
    await browser.advance(60_000)
    expect(polls()).toHaveLength(1)
  })
})
