import { fireEvent, render, screen } from '@testing-library/react'
import type { DynamicToolUIPart } from 'ai'
import type { TaskClient } from 'taskwire'
import { expect, it } from 'vitest'
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
