// Names and attributes of the OpenTelemetry semantic conventions for MCP, as they stood in November 2026 (status:
// Development; open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md, which builds on semantic conventions 1.41).
// Not set on purpose: `mcp.session.id`, which is a credential, `gen_ai.tool.call.arguments` and `gen_ai.tool.call.result`.
import { type Attributes, type Histogram, type Meter, type Span, SpanStatusCode } from '@opentelemetry/api'

/** The name of instrumentation scopes. */
export const SCOPE = 'taskwire'

/** In seconds, as the conventions have them. */
export const BOUNDARIES: number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** What a span and a measurement of a call have in common. */
export function operationOf(tool: string, protocolVersion: string | undefined): Attributes {
  return {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    ...(tool !== '' && { 'gen_ai.tool.name': tool }),
    ...(protocolVersion !== undefined && { 'mcp.protocol.version': protocolVersion }),
  }
}

export function spanNameOf(tool: string): string {
  return tool === '' ? 'tools/call' : `tools/call ${tool}`
}

export function createDuration(meter: Meter, side: 'client' | 'server'): Histogram {
  return meter.createHistogram(`mcp.${side}.operation.duration`, {
    description:
      side === 'client' ? 'The duration of a call, as its client sees it' : 'The duration of the work of a call',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  })
}

/** How a call went wrong. */
export interface CallFailure {
  readonly attributes: Attributes
}

/** A result of which the tool says that it is an error. */
export const TOOL_ERROR: CallFailure = { attributes: { 'error.type': 'tool_error' } }

/** The error of a call that its client has cancelled, as the client names it. */
export const CANCELLED: CallFailure = { attributes: { 'error.type': 'TaskCancelledError' } }

/** Without the message, which may repeat arguments: a trace goes to people who know the call by its name alone. */
export function failureOf(error: unknown): CallFailure {
  const { code, name } = error instanceof Error ? (error as Error & { code?: unknown }) : { name: '_OTHER' }
  if (typeof code !== 'number') return { attributes: { 'error.type': name } }
  const type = { 'error.type': String(code) }
  // Above 0 it is an HTTP status.
  return { attributes: code > 0 ? type : { ...type, 'rpc.response.status_code': String(code) } }
}

export function markFailed(span: Span, { attributes }: CallFailure): void {
  span.setAttributes(attributes)
  span.setStatus({ code: SpanStatusCode.ERROR })
}
