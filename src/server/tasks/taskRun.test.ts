import { inputRequired } from '@modelcontextprotocol/server'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { PATIENCE } from '../../../test/support/patience.js'
import { workingRecord } from '../../tools/testing/workingRecord.js'
import { createElicit } from '../tools/elicit.js'
import type { TaskRecord } from './taskRecord.js'
import { reduceTask, type TaskEvent } from './taskReducer.js'
import { createTaskRun } from './taskRun.js'

function setup() {
  let record: TaskRecord | undefined = workingRecord('t')
  const apply = vi.fn(async (event: TaskEvent) => {
    record = record && reduceTask(record, event, 0)
    if (record !== undefined) run.observe(record)
    return record
  })
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
  const run = createTaskRun({ record: workingRecord('t'), capabilities, by: { attempt: 1, worker: '' }, apply })
  return {
    run,
    elicit: createElicit(run),
    apply,
    questions: () => (record?.task.status === 'input_required' ? record.task.inputRequests : {}),
    lose: () => {
      record = undefined
    },
  }
}

const accepted = { action: 'accept', content: { name: 'Luca' } }
const form = { message: 'Name?', requestedSchema: z.object({ name: z.string() }) }

describe('createTaskRun', () => {
  it('asks under keys that never come twice and hands over each response as it came', async () => {
    const { run, elicit, apply, questions } = setup()
    const first = elicit(form)
    const second = run.ask(() => inputRequired.listRoots())
    await vi.waitFor(() => expect(Object.keys(questions())).toEqual(['elicitation-1', 'roots-2']), PATIENCE)
    await apply({ type: 'answer', answers: { 'roots-2': { roots: [] }, 'elicitation-1': accepted } })
    expect(await first).toEqual(accepted)
    expect(await second).toEqual({ roots: [] })
    void elicit(form)
    await vi.waitFor(() => expect(Object.keys(questions())).toEqual(['elicitation-3']), PATIENCE)
  })

  it('sends a form as JSON Schema, whatever library it was written in', async () => {
    const { elicit, questions } = setup()
    void elicit(form)
    await vi.waitFor(() => expect(questions()).not.toEqual({}), PATIENCE)
    expect(questions()['elicitation-1']).toMatchObject({
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: { name: {} } } },
    })
  })

  it('asks the user to visit a page, and the model for a completion', async () => {
    const { run, elicit, questions } = setup()
    void elicit({ mode: 'url', message: 'Sign in', url: 'https://example.com' })
    void run.ask(() => inputRequired.createMessage({ messages: [], maxTokens: 10 }))
    await vi.waitFor(() => expect(Object.keys(questions())).toEqual(['elicitation-1', 'sampling-2']), PATIENCE)
    expect(questions()['elicitation-1']?.params).toMatchObject({ mode: 'url', url: 'https://example.com' })
    expect(questions()['sampling-2']?.params).toMatchObject({ maxTokens: 10 })
  })

  it('aborts the work and every open input request when the client asks to cancel', async () => {
    const { run, elicit, apply, questions } = setup()
    const asked = elicit(form)
    await vi.waitFor(() => expect(questions()).not.toEqual({}), PATIENCE)
    await apply({ type: 'requestCancel' })
    expect(run.signal.aborted).toBe(true)
    await expect(asked).rejects.toBe(run.signal.reason)
    await expect(elicit(form)).rejects.toBe(run.signal.reason)
  })

  it('says what to do where an input request cannot be asked', async () => {
    const { elicit } = setup()
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    await expect(elicit({ mode: 'url', message: 'x', url: 'javascript:alert(1)' })).rejects.toThrow(
      'Failed to ask for input: the request has no http(s) url. Pass what the specification defines',
    )
    await expect(elicit({ ...form, _meta: cyclic })).rejects.toMatchObject({
      name: 'TaskConfigurationError',
    })
    await expect(
      elicit({ message: 'x', requestedSchema: z.object({ deep: z.object({ er: z.string() }) }) }),
    ).rejects.toThrow('Failed to ask for input: Elicitation requestedSchema only supports flat')
  })

  it('rejects what is asked once the task is over', async () => {
    const { run, elicit, apply, questions } = setup()
    const open = elicit(form)
    await vi.waitFor(() => expect(questions()).not.toEqual({}), PATIENCE)
    await apply({ type: 'complete', result: { content: [] } })
    await expect(open).rejects.toThrow('the task is over. Await every input request before the handler returns.')
    const over = { name: 'TaskError', message: expect.stringContaining('The task has ended') }
    await expect(elicit(form)).rejects.toMatchObject(over)
    await expect(run.report({ message: 'more' })).rejects.toMatchObject(over)
  })

  it('rejects what is asked once the task has expired', async () => {
    const { elicit, lose } = setup()
    lose()
    await expect(elicit(form)).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
  })
})
