import type { StandardSchemaV1 } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { ToolOutputError } from '../../core/protocol/errors.js'
import { toolOutput } from './toolOutput.js'

const schema = z.object({ pages: z.number() })
const result = (structuredContent?: unknown, isError?: boolean): CallToolResult => ({
  content: [{ type: 'text', text: 'done' }],
  ...(structuredContent !== undefined && { structuredContent }),
  ...(isError !== undefined && { isError }),
})

const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('toolOutput', () => {
  it('without a schema is the very result', async () => {
    const plain = result({ pages: 'three' })
    expect(await toolOutput(plain, 'report', undefined)).toBe(plain)
  })

  it('with a schema has the output checked, and the rest untouched', async () => {
    const checked = await toolOutput({ ...result({ pages: 3 }), _meta: { a: 1 } }, 'report', schema)
    expect(checked).toEqual({ ...result({ pages: 3 }), _meta: { a: 1 } })
  })

  it('is what the schema makes of it', async () => {
    const dated = z.object({ at: z.string().transform((at) => Date.parse(at)) })
    const checked = await toolOutput(result({ at: '2026-07-28T00:00:00Z', extra: 1 }), 'report', dated)
    expect(checked.structuredContent).toEqual({ at: Date.UTC(2026, 6, 28) })
  })

  it('waits for a schema that takes its time', async () => {
    const slow = z.object({ pages: z.number().refine(async (pages) => pages > 1) })
    expect((await toolOutput(result({ pages: 3 }), 'report', slow)).structuredContent).toEqual({ pages: 3 })
    expect(await caught(toolOutput(result({ pages: 1 }), 'report', slow))).toBeInstanceOf(ToolOutputError)
  })

  it.each([
    ['of the wrong type', result({ pages: 'three' })],
    ['that is not there', result()],
    ['that is null', result(null)],
  ])('rejects output %s, with what the schema says', async (_, wrong) => {
    const error = await caught(toolOutput(wrong, 'report', schema))
    expect(error).toBeInstanceOf(ToolOutputError)
    expect(error).toMatchObject({ toolName: 'report', issues: [{ message: expect.any(String) }] })
    expect((error as Error).message).toMatch(/^The output of "report" does not match outputSchema: .+/)
  })

  it('passes a tool’s own error on unchecked: it carries no output', async () => {
    const failed = result({ reason: 'no such file' }, true)
    expect(await toolOutput(failed, 'report', schema)).toBe(failed)
  })

  it('checks where isError is false', async () => {
    expect(await caught(toolOutput(result({ pages: 'three' }, false), 'report', schema))).toBeInstanceOf(
      ToolOutputError,
    )
  })

  it('takes any Standard Schema, and only asks it once', async () => {
    let asked = 0
    const even: StandardSchemaV1<unknown, number> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => {
          asked += 1
          return typeof value === 'number' && value % 2 === 0
            ? { value }
            : { issues: [{ message: 'Expected an even number' }] }
        },
      },
    }
    expect((await toolOutput(result(4), 'report', even)).structuredContent).toBe(4)
    expect(asked).toBe(1)
    expect(await caught(toolOutput(result(3), 'report', even))).toMatchObject({
      message: 'The output of "report" does not match outputSchema: Expected an even number',
    })
  })
})
