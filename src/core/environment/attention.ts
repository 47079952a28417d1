/** The means of a hidden page to get the user's attention. */
export interface Attention {
  /** The title of the page. */
  title(): string
  setTitle(title: string): void
  /** Brings the page to the front, if the browser allows it. */
  focus(): void
  /** Absent if the page has no notifications. */
  readonly notifications?: SystemNotifications | undefined
}

/** The part of the Notification API that Taskwire needs. */
export interface SystemNotifications {
  permission(): NotificationPermission
  /** Asks the user for permission. Browsers allow that on a click only. May reject. */
  requestPermission(): Promise<NotificationPermission>
  /** Shows a notification in place of the one with the same tag. Returns a function that closes it. May throw. */
  show(notification: { title: string; body?: string | undefined; tag: string }, onClick: () => void): () => void
}

/** That of the page; elsewhere there is no title, and nothing to notify with. Reading it touches no global until used. */
export function pageAttention(): Attention {
  return {
    title: () => globalThis.document?.title ?? '',
    setTitle: (title) => {
      if (globalThis.document !== undefined) globalThis.document.title = title
    },
    focus: () => globalThis.window?.focus(),
    get notifications() {
      return globalThis.document !== undefined && 'Notification' in globalThis ? pageNotifications() : undefined
    },
  }
}

function pageNotifications(): SystemNotifications {
  return {
    permission: () => Notification.permission,
    requestPermission: () => Notification.requestPermission(),
    show: ({ title, body, tag }, onClick) => {
      // Browsers of phones have the class and refuse to construct it: they notify through service workers only.
      const notification = new Notification(title, { tag, ...(body !== undefined && { body }) })
      const close = () => notification.close()
      notification.addEventListener('click', () => {
        onClick()
        close()
      })
      return close
    },
  }
}
