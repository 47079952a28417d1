import { asError } from '../../../core/protocol/asError.js'
import type { ToolCallState } from '../../../core/record/toolCallState.js'
import type { ObservedClient } from '../model/devtoolsModel.js'
import { element, setAttributes, setHidden, setText, type View } from './element.js'

/** A call, and what can be done with it. Without a client it comes from a file. */
export interface ActedOnCall {
  readonly call: ToolCallState
  readonly client: ObservedClient | undefined
  /** The recording that has it. */
  readonly file: () => string
}

/** Buttons that do to a call what the app could do. */
export function createCallActions(): View<ActedOnCall> {
  let shown: ActedOnCall | undefined
  const status = element('span', { role: 'status' })

  function button(name: string, act: (shown: ActedOnCall) => unknown) {
    const made = element('button', { type: 'button' }, name)
    made.addEventListener('click', async () => {
      const of = shown
      if (of === undefined) return
      try {
        setText(status, '')
        await act(of)
      } catch (error) {
        // Meanwhile another call may be shown.
        if (isSame(of, shown)) setText(status, asError(error).message)
      }
    })
    return made
  }

  const cancel = button('Cancel', ({ client, call }) => client?.getToolCall(call.callId)?.cancel())
  const again = button('Call again', ({ client, call }) => {
    const { name, arguments: args, key, meta } = call
    client
      ?.startToolCall?.({ name, ...(args && { arguments: args }) } as { name: string }, {
        repeat: 'always',
        ...(key !== undefined && { key }),
        ...(meta && { meta }),
      })
      // Its state says how it ends.
      .result.catch(() => {})
  })
  const forget = button('Forget', ({ client, call }) => client?.forget?.({ callId: call.callId }))
  const save = button('Export', ({ file }) => saveFile('taskwire-recording.json', file()))

  return {
    element: element('div', { class: 'actions' }, cancel, again, forget, save, status),
    update: (next) => {
      if (!isSame(next, shown)) setText(status, '')
      shown = next
      const { call, client } = next
      setHidden(cancel, client === undefined)
      setHidden(again, client?.startToolCall === undefined)
      setHidden(forget, client?.forget === undefined)
      setAttributes(cancel, { disabled: call.endedAt !== undefined || call.isCancelling })
      // The arguments are known in the page that made the call.
      setAttributes(again, {
        disabled: call.name === '' || call.arguments === undefined,
        title: call.arguments === undefined ? 'This page does not know the arguments: they are not stored.' : undefined,
      })
    },
  }
}

function isSame(one: ActedOnCall, other: ActedOnCall | undefined): boolean {
  return one.client === other?.client && one.call.callId === other?.call.callId
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  element('a', { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
