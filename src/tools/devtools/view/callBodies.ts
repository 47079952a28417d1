import { withoutId, withoutIdInJson } from '../../../core/protocol/text.js'
import type { ToolCallState } from '../../../core/record/toolCallState.js'
import { element, setHidden, setText, type View } from './element.js'

/** As many characters of a body are shown: more would hold the page up. */
const LONGEST = 20_000

/** What a call was asked, and what came of it. */
export function createCallBodies(): View<ToolCallState> {
  const parts = ['Arguments', 'Noted by the app (meta)', 'Result', 'Error'].map((title) => {
    const body = element('pre', { tabindex: 0, 'aria-label': title })
    return { root: element('section', {}, element('h3', {}, title), body), body }
  })
  /** Turning a result into text takes time, and the panel is drawn often. */
  let shown: readonly unknown[] | undefined
  return {
    element: element('div', { class: 'bodies' }, ...parts.map(({ root }) => root)),
    update: ({ arguments: args, meta, result, error, task }) => {
      const values = [args, meta, result, error]
      for (const [at, { root, body }] of parts.entries()) {
        const value = values[at]
        if (shown !== undefined && value === shown[at]) continue
        setHidden(root, value === undefined)
        setText(body, textOf(value, task?.taskId))
      }
      shown = values
    },
  }
}

function textOf(value: unknown, taskId: string | undefined): string {
  if (value === undefined) return ''
  if (value instanceof Error) return withoutId(`${value.name}: ${value.message}`, taskId)
  const json = taskId === undefined ? value : withoutIdInJson(value, taskId)
  const text = JSON.stringify(json, null, 2) ?? ''
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… and ${text.length - LONGEST} characters more` : text
}
