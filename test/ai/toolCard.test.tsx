import { act, fireEvent, render, screen } from '@testing-library/react'
import type { DynamicToolUIPart } from 'ai'
import { createTaskClient, type TaskClient } from 'taskwire'
import { defineTool } from 'taskwire/server'
import { createTestServer } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ToolCard } from '../../docs/examples/ToolCard.js'

it('shows an approval whose answer comes too late, and leaves no rejection behind', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', note)
  try {
    const part: DynamicToolUIPart = {
      type: 'dynamic-tool',
      toolName: 'report',
      toolCallId: 'call-1',
      state: 'output-available',
      preliminary: true,
      input: {},
      output: {
        callId: 'c',
        phase: 'input_required',
        network: 'ok',
        inputRequests: {
          q1: {
            method: 'elicitation/create',
            params: { mode: 'form', message: 'Overwrite?', requestedSchema: { type: 'object', properties: {} } },
          },
        },
      },
    }
    const client = { getToolCall: () => undefined } as unknown as TaskClient
    render(<ToolCard part={part} client={client} />)
    expect(screen.getByRole('group', { name: 'Overwrite?' })).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Approve' }))
    fireEvent.click(screen.getByRole('button', { name: 'Deny' }))
    // Rejections that nobody handles are told when the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})

it('shows the form that a tool asks for, and sends what is filled in', async () => {
  const tool = defineTool({
    name: 'ask',
    taskSupport: 'required',
    inputSchema: z.object({}),
    async handler(_, { elicit }) {
      const answer = await elicit({
        mode: 'form',
        message: 'How many pages?',
        requestedSchema: {
          type: 'object',
          properties: { pages: { type: 'integer', title: 'Pages' } },
          required: ['pages'],
        },
      })
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
    },
  })
  const server = createTestServer({ tools: [tool] })
  const client = createTaskClient({ url: server.url, environment: server.environment })
  const call = client.startToolCall({ name: 'ask' })
  await act(() => server.advance(2000))
  const { callId, phase, network, inputRequests } = call.getState()
  const part: DynamicToolUIPart = {
    type: 'dynamic-tool',
    toolName: 'ask',
    toolCallId: 'call-1',
    state: 'output-available',
    preliminary: true,
    input: {},
    output: { callId, phase, network, inputRequests },
  }
  render(<ToolCard part={part} client={client} />)
  expect(screen.getByRole('region', { name: 'ask' }).textContent).toMatch(
    /^Waiting for your answer\..*How many pages\?/,
  )
  fireEvent.change(screen.getByLabelText('Pages'), { target: { value: '12' } })
  fireEvent.click(screen.getByRole('button', { name: 'Submit' }))
  await act(() => server.advance(3000))
  await expect(call.result).resolves.toMatchObject({
    content: [{ text: JSON.stringify({ action: 'accept', content: { pages: 12 } }) }],
  })
})
