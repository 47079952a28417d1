import type { TaskClient } from '../../core/client/taskClient.js'
import { type Attention, pageAttention } from '../../core/environment/attention.js'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import type { Environment } from '../../core/environment/environment.js'
import { headingOf } from '../../core/record/headingOf.js'
import type { SettledToolCall } from '../../core/record/toolCallState.js'
import { createTitleBadge } from './titleBadge.js'
import { createToldCalls } from './toldCalls.js'

/** Options of {@link notifyWhenSettled}. */
export interface NotifyOptions {
  /** Whether to ignore calls that settle while the user looks at the page. @default true */
  onlyHidden?: boolean
  /** The title of the notification. @default the `title` of the call's `meta`, or the name of the tool, and how it ended, in English */
  title?: string | ((call: SettledToolCall) => string)
  /** The text below the title. Others may read it over the user's shoulder. @default nothing */
  body?: string | ((call: SettledToolCall) => string | undefined)
  /** Returns true for the calls to notify the user of. @default all calls */
  filter?: (call: SettledToolCall) => boolean
  /** For tests: the parts of the page to replace. */
  environment?: Partial<Environment & Attention>
}

/** The return value of {@link notifyWhenSettled}. */
export interface SettledNotifications {
  /**
   * Asks the user for the permission to notify. Call it on a click, or the browser refuses without asking the user.
   * Resolves to the user's choice, or to `denied` if the browser has no notifications. You can pass it as an event handler.
   */
  readonly requestPermission: () => Promise<NotificationPermission>
  /** Removes the number from the title, and stops notifying. */
  readonly stop: () => void
}

/**
 * Notifies the user when calls settle while the page is hidden: with a system notification, if the user has allowed that,
 * and with the number of calls in the title of the page, until the page is shown again. Only one of several tabs notifies,
 * and no tab notifies while the user looks at one of them. A click on the notification shows the page.
 *
 * @example
 * ```ts
 * const { requestPermission } = notifyWhenSettled(client, { title: (call) => `${call.name} is done` })
 * button.addEventListener('click', requestPermission)
 * ```
 */
export function notifyWhenSettled(
  client: Pick<TaskClient, 'id' | 'onToolCallSettled'>,
  options: NotifyOptions = {},
): SettledNotifications {
  const { onlyHidden = true, filter = () => true, title = headingOf, body } = options
  const page = { ...browserEnvironment(), ...pageAttention(), ...options.environment }
  const { notifications } = page
  const badge = createTitleBadge(page)
  const tabs = createToldCalls(page, `taskwire:notify:${client.id}`, () => onlyHidden && page.isVisible())
  const shown = new Set<() => void>()

  function show(call: SettledToolCall): void {
    if (notifications?.permission() !== 'granted') return
    const text = { title: textOf(title, call) ?? '', body: textOf(body, call), tag: call.callId }
    try {
      shown.add(notifications.show(text, page.focus))
    } catch {
      // See `pageAttention`. The title says it all the same.
    }
  }

  function onSettled(call: SettledToolCall): void {
    if (!filter(call)) return
    const isVisible = page.isVisible()
    if (!isVisible) badge.add()
    if (notifications === undefined) return
    if (!isVisible) return tabs.tellUnlessTold(call.callId, () => show(call))
    tabs.told(call.callId)
    if (!onlyHidden) show(call)
  }

  function onVisibility(): void {
    if (!page.isVisible()) return
    badge.clear()
    tabs.seen()
    for (const close of shown) close()
    shown.clear()
  }

  const unsubscribe = [client.onToolCallSettled(onSettled), page.onVisibilityChange(onVisibility)]
  if (notifications !== undefined) tabs.listen()
  return {
    requestPermission: async () => {
      try {
        return (await notifications?.requestPermission()) ?? 'denied'
      } catch {
        return notifications?.permission() ?? 'denied'
      }
    },
    stop: () => {
      for (const each of unsubscribe) each()
      badge.clear()
      tabs.close()
    },
  }
}

function textOf<T>(text: T | ((call: SettledToolCall) => T), call: SettledToolCall): T {
  return typeof text === 'function' ? (text as (call: SettledToolCall) => T)(call) : text
}
