import { createTaskClient as createFullClient, TaskConfigurationError } from 'taskwire'
import { byStatusField, defineJob, type JobDefinition } from 'taskwire/jobs'
import { createTaskClient as createLiteClient } from 'taskwire/lite'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { structured, text } from './jobFixture.js'

const RENDER: JobDefinition = { start: 'render', status: 'render_status', id: 'run_id', read: byStatusField('status') }

describe('defineJob refuses', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'it takes { start, status, id, read }'],
    ['a start tool without a name', { ...RENDER, start: '' }, 'start must be the name of the tool that starts the job'],
    ['a job without a status tool', { ...RENDER, status: undefined }, 'status is missing'],
    ['a status tool that is none', { ...RENDER, status: 7 }, 'status must be the name of a tool, or { tool, arguments'],
    ['a cancel tool without arguments', { ...RENDER, cancel: { tool: 'stop' } }, 'cancel must be the name of a tool'],
    ['a respond tool by its name alone', { ...RENDER, respond: 'answer' }, 'respond must be { tool, arguments'],
    ['an id that is neither', { ...RENDER, id: 7 }, "as in id: 'job_id', or a function of the result"],
    ['a job that nobody reads', { ...RENDER, read: 'status' }, "as in read: byStatusField('status')"],
    ['an interval of no time', { ...RENDER, intervalMs: 0 }, 'intervalMs must be a number of ms above 0'],
    ['an interval of seconds in a text', { ...RENDER, intervalMs: '2s' }, 'intervalMs must be a number of ms above 0'],
    ['a ttl without an end', { ...RENDER, ttlMs: Number.POSITIVE_INFINITY }, 'ttlMs must be a number of ms above 0'],
    ['a field that there is not', { ...RENDER, interval: 2000 }, 'there is no field interval. The fields are start,'],
    ['a tool that follows itself', { ...RENDER, status: 'render' }, 'the tool "render" starts the job and follows it'],
  ])('%s', (_, definition, says) => {
    expect(() => defineJob(definition as JobDefinition)).toThrow(TaskConfigurationError)
    expect(() => defineJob(definition as JobDefinition)).toThrow(says)
  })
})

describe.each([
  ['taskwire', createFullClient],
  ['taskwire/lite', createLiteClient],
])('a client of %s refuses', (_, createTaskClient) => {
  const create = (jobs: unknown) => () =>
    createTaskClient({
      url: 'https://tasks.example/mcp',
      environment: createSimulatedEnvironment().environment,
      jobs: jobs as [],
    })

  it('two jobs that are started by the same tool', () => {
    expect(create([defineJob(RENDER), defineJob({ ...RENDER, status: 'other' })])).toThrow(
      'The option jobs has two jobs that are started by "render". A tool starts one kind of job: remove one of them.',
    )
  })

  it('a job that is started by the status tool of another one', () => {
    const other = defineJob({ ...RENDER, start: 'render_status', status: 'other' })
    expect(create([defineJob(RENDER), other])).toThrow(
      'a job that is started by "render_status", which is a tool of the job of "render" as well',
    )
  })

  it.each([
    ['a definition that went through no defineJob', [RENDER]],
    ['one job without a list', defineJob(RENDER)],
  ])('%s', (_name, jobs) => {
    expect(create(jobs)).toThrow('a list of what defineJob of taskwire/jobs returns')
  })

  it('no list without a job', () => {
    expect(create([])).not.toThrow()
  })
})

describe('byStatusField', () => {
  const read = (fields: Record<string, unknown>, options = {}) => byStatusField('status', options)(structured(fields))

  it.each([
    ['queued', 'working'],
    ['In Progress', 'working'],
    ['PENDING', 'working'],
    ['not-started', 'working'],
    ['InProgress', 'working'],
    ['NotStarted', 'working'],
    ['Cancelling', 'working'],
    ['stopping', 'working'],
    ['Succeeded', 'completed'],
    ['done', 'completed'],
    ['timed out', 'failed'],
    ['TimedOut', 'failed'],
    ['Canceled', 'cancelled'],
    ['not_found', 'gone'],
  ])('knows that "%s" is %s', (word, status) => {
    expect(read({ status: word })).toMatchObject({ status })
  })

  it('believes the app before what is common', () => {
    expect(read({ status: 'ready' }, { working: ['Ready'] })).toMatchObject({ status: 'working' })
    expect(read({ status: 'Baked' }, { completed: ['baked'] })).toMatchObject({ status: 'completed' })
  })

  it('reads a field within a field, and within a list', () => {
    const nested = byStatusField('data.jobs.0.state')
    expect(nested(structured({ data: { jobs: [{ state: 'running' }] } }))).toMatchObject({ status: 'working' })
  })

  it('counts percent, or the value and the total of other fields', () => {
    expect(read({ status: 'running', progress: 40 }, { progress: 'progress' })).toMatchObject({
      progress: { value: 40, total: 100 },
    })
    const fields = { status: 'running', step: '3', steps: 9 }
    expect(read(fields, { progress: { value: 'step', total: 'steps' } })).toMatchObject({
      progress: { value: 3, total: 9 },
    })
    expect(read({ status: 'running' }, { progress: 'progress' })).toMatchObject({ progress: undefined })
  })

  it('says why a job failed: by its error, the message in it, or the message beside it', () => {
    expect(read({ status: 'failed', error: 'No light' })).toMatchObject({ message: 'No light' })
    expect(read({ status: 'failed', error: { message: 'No light', code: 3 } })).toMatchObject({
      message: 'No light',
      data: { message: 'No light', code: 3 },
    })
    expect(read({ status: 'failed', message: 'No light' })).toMatchObject({ message: 'No light' })
  })

  it('takes one field for the result, as structuredContent and as text', () => {
    expect(read({ status: 'done', output: { url: 'a' } }, { result: 'output' })).toMatchObject({
      result: { content: [{ type: 'text', text: '{"url":"a"}' }], structuredContent: { url: 'a' } },
    })
  })

  it('throws for a word that nobody knows, and for a field that there is not', () => {
    expect(() => read({ status: 'zombie' })).toThrow('a word that byStatusField does not know')
    expect(() => read({ status: 7 })).toThrow('says a number in "status"')
    expect(() => read({ state: 'running' })).toThrow('there is no field "status"')
    expect(() => byStatusField('status')(text('all is well'))).toThrow('there is no field "status"')
  })
})
