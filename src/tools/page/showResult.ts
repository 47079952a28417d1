import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { create } from './elements.js'

/** What a tool has returned: texts, pictures, sound, and the rest as JSON. */
export function showResult({ content, structuredContent }: CallToolResult): Element[] {
  const shown = content.map((block) => showBlock(block))
  const isSaid = content.some((block) => block.type === 'text' && isSameJson(block.text, structuredContent))
  if (structuredContent !== undefined && !isSaid) shown.push(asJson(structuredContent))
  return shown.length > 0 ? shown : [create('p', { class: 'muted' }, 'The tool has returned nothing.')]
}

function showBlock(block: CallToolResult['content'][number]): Element {
  switch (block.type) {
    case 'text':
      return asText(block.text)
    case 'image':
      return create('img', { src: dataUrl(block), alt: 'A picture that the tool has returned' })
    case 'audio':
      return create('audio', { src: dataUrl(block), controls: true })
    case 'resource_link':
      return create('p', {}, `${block.title ?? block.name}: `, create('code', {}, block.uri))
    case 'resource':
      return 'text' in block.resource && typeof block.resource.text === 'string'
        ? asText(block.resource.text)
        : create('p', {}, 'A file: ', create('code', {}, block.resource.uri))
    default:
      return asJson(block)
  }
}

const asText = (text: string) => create('pre', { tabindex: 0 }, text)
const asJson = (value: unknown) => asText(JSON.stringify(value, undefined, 2))

const dataUrl = ({ data, mimeType }: { readonly data: string; readonly mimeType: string }) =>
  `data:${mimeType};base64,${data}`

/** Tools send `structuredContent` as a text, too, for clients that do not know it. */
function isSameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value)
  } catch {
    return false
  }
}
