import type { LiveClient } from '../../../live/frame/liveClient.ts'

/** The devtools under a live example. */
export interface Panel {
  setTheme(theme: 'light' | 'dark'): void
  unmount(): void
}

/** Loads the devtools, and shows a client of a frame in them. */
export async function mountPanel({ client, faults }: LiveClient, target: HTMLElement, isDark: boolean): Promise<Panel> {
  const { mountTaskwireDevtools } = await import('../../../../src/devtools.ts')
  return mountTaskwireDevtools(client, { target, faults, theme: isDark ? 'dark' : 'light' })
}
