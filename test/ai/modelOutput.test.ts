import type { CallToolResult } from 'taskwire'
import { isToolStatus, mcpTools } from 'taskwire/ai'
import { describe, expect, it } from 'vitest'
import { modelOutput } from '../../src/tools/ai/modelOutput.js'
import { createTaskClient } from '../support/anyClient.js'
import { createWorkServer } from '../support/workServer.js'
import { toolOutputs, versions } from './models.js'

const toModel = (output: unknown) => modelOutput({ output })

describe('what the model is told of an output', () => {
  it('is its text, its images and its audio, and other blocks as JSON', () => {
    const link = { type: 'resource_link', uri: 'file:///a', name: 'a' } as const
    const output: CallToolResult = {
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'audio', data: 'aG8=', mimeType: 'audio/wav' },
        link,
      ],
    }
    expect(toModel(output)).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'Look:' },
        { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
        { type: 'file-data', data: 'aG8=', mediaType: 'audio/wav' },
        { type: 'text', text: JSON.stringify(link) },
      ],
    })
  })

  it('is the structured content where there is nothing else', () => {
    expect(toModel({ content: [], structuredContent: { total: 42 } })).toEqual({ type: 'json', value: { total: 42 } })
  })

  it('is an error where the tool says so, in words', () => {
    const content = [
      { type: 'text', text: 'No sales.' },
      { type: 'text', text: 'Ask later.' },
    ]
    expect(toModel({ content, isError: true })).toEqual({ type: 'error-text', value: 'No sales.\nAsk later.' })
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
    expect(toModel({ content: [image, ...content], isError: true })).toEqual({
      type: 'error-text',
      value: 'No sales.\nAsk later.',
    })
  })

  it('is an error also where the tool says it in no words', () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
    for (const content of [[], [image], [{ type: 'text', text: '' }]]) {
      expect(toModel({ content, isError: true, structuredContent: { code: 7 } })).toEqual({
        type: 'error-text',
        value: '{"code":7}',
      })
      expect(toModel({ content, isError: true })).toEqual({
        type: 'error-text',
        value: 'The tool failed and did not say why.',
      })
    }
  })

  it('says that the tool is still running where there is no result yet', () => {
    expect(toModel({ callId: 'c', phase: 'working', network: 'ok', statusMessage: 'Adding' })).toEqual({
      type: 'text',
      value: 'The tool is still running; its result is not there yet. Status: Adding',
    })
    expect(toModel({ callId: 'c', phase: 'working', network: 'ok' })).toMatchObject({
      value: 'The tool is still running; its result is not there yet.',
    })
  })

  it('is the result of a tool that has members of a status, too', () => {
    const output = { content: [{ type: 'text', text: 'Done.' }], callId: 'c', phase: 'working' }
    expect(isToolStatus(output)).toBe(false)
    expect(toModel(output)).toEqual({ type: 'content', value: output.content })
  })

  it('is the output itself where it is no result of a tool', () => {
    for (const output of ['text', 7, null, { a: 1 }]) expect(toModel(output)).toEqual({ type: 'json', value: output })
    expect(toModel(undefined)).toEqual({ type: 'json', value: null })
  })
})

it.each(versions)(
  'the model gets an output of an earlier message in the same words, where that is converted with the tools, in $version',
  async ({ ai }) => {
    const server = createWorkServer()
    const listing = mcpTools(createTaskClient({ url: server.url, environment: server.environment }))
    await server.advance(1000)
    const tools = await listing
    const output = { content: [{ type: 'text', text: 'No sales.' }], isError: true }
    const part = {
      type: 'dynamic-tool',
      toolName: 'work',
      toolCallId: 'a',
      state: 'output-available',
      input: {},
      output,
    }
    const messages = [{ id: '1', role: 'assistant', parts: [part] }] as never
    const converted = await ai.convertToModelMessages(messages, { tools })
    expect(toolOutputs([converted] as never)).toEqual([{ type: 'error-text', value: 'No sales.' }])
  },
)
