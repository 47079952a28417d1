import { isJsonObject } from '../../core/protocol/json.js'
import type { JsonValue, McpModelContent, McpModelOutput } from './mcpTool.js'
import { isToolStatus } from './toolStatus.js'

/** A tool's output as the model gets it, also from a stored chat. */
export function modelOutput({ output }: { output: unknown }): McpModelOutput {
  if (isToolStatus(output)) return { type: 'text', value: runningText(output.statusMessage) }
  const content = isJsonObject(output) ? output['content'] : undefined
  if (!isJsonObject(output) || !Array.isArray(content)) return { type: 'json', value: (output ?? null) as JsonValue }
  const { structuredContent, isError } = output
  const value = content.map(modelContent)
  if (isError === true) return { type: 'error-text', value: errorText(value, structuredContent) }
  if (content.length === 0 && structuredContent !== undefined) {
    return { type: 'json', value: structuredContent as JsonValue }
  }
  return { type: 'content', value }
}

/** The model gets an error as text. The AI SDK has no errors with images, so those are left out. */
function errorText(value: McpModelContent[], structuredContent: unknown): string {
  const text = value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (text !== '') return text
  return structuredContent === undefined ? 'The tool failed and did not say why.' : JSON.stringify(structuredContent)
}

function modelContent(block: unknown): McpModelContent {
  if (isJsonObject(block)) {
    const { type, text, data, mimeType } = block
    if (type === 'text' && typeof text === 'string') return { type, text }
    if (typeof data === 'string' && typeof mimeType === 'string') {
      if (type === 'image') return { type: 'image-data', data, mediaType: mimeType }
      if (type === 'audio') return { type: 'file-data', data, mediaType: mimeType }
    }
  }
  return { type: 'text', text: JSON.stringify(block) }
}

/** For a model that is asked while the tool is at work: the user has stopped it, or sent another message. */
function runningText(statusMessage: string | undefined): string {
  const running = 'The tool is still running; its result is not there yet.'
  return statusMessage === undefined ? running : `${running} Status: ${statusMessage}`
}
