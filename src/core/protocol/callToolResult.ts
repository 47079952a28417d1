import { isJsonObject, isTooDeep, type JsonObject } from './json.js'

/** One block of a tool's output. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

interface ContentBase {
  annotations?:
    | {
        audience?: ('user' | 'assistant')[] | undefined
        priority?: number | undefined
        lastModified?: string | undefined
      }
    | undefined
  _meta?: { [key: string]: unknown } | undefined
}

/** Plain text. */
export interface TextContent extends ContentBase {
  type: 'text'
  text: string
}

/** An image, base64 in `data`. */
export interface ImageContent extends ContentBase {
  type: 'image'
  data: string
  mimeType: string
}

/** Audio, base64 in `data`. */
export interface AudioContent extends ContentBase {
  type: 'audio'
  data: string
  mimeType: string
}

/** A link to a resource on the server. */
export interface ResourceLink extends ContentBase {
  type: 'resource_link'
  uri: string
  name: string
  title?: string | undefined
  description?: string | undefined
  mimeType?: string | undefined
  size?: number | undefined
}

/** A resource that is part of the result. */
export interface EmbeddedResource extends ContentBase {
  type: 'resource'
  resource: { uri: string; mimeType?: string | undefined } & ({ text: string } | { blob: string })
}

/**
 * The result of a tool. A tool that fails says so with `isError: true`: that is a result, not an exception (SEP-2663, "Task
 * Execution Errors").
 */
export interface CallToolResult {
  content: ContentBlock[]
  /** Machine-readable output, for tools that declare an output schema. */
  structuredContent?: unknown
  isError?: boolean | undefined
  _meta?: { [key: string]: unknown } | undefined
}

/**
 * The result if it has the shape of one, else the name of what is wrong with it. Only the frame is
 * checked here: blocks of a kind that this version does not know are passed on for the app to skip.
 */
export function parseCallToolResult(value: unknown): { result: CallToolResult } | { problem: string } {
  if (!isJsonObject(value)) return { problem: 'result is not an object' }
  const { content, isError } = value
  if (!Array.isArray(content)) return { problem: 'result.content is not an array' }
  if (!content.every(isContentBlock)) return { problem: 'result.content holds a block without a type' }
  if (isTooDeep(value)) return { problem: 'result is nested too deep' }
  if (isError !== undefined && typeof isError !== 'boolean') return { problem: 'result.isError is not a boolean' }
  const rest: JsonObject = { ...value }
  // The discriminator belongs to the response; an inlined result comes with or without it.
  delete rest['resultType']
  return { result: { ...rest, content } }
}

function isContentBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value['type'] === 'string'
}
