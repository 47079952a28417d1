import type { Locator, Page } from 'playwright-core'

/** What the demo is called on the screen, for everybody who drives it: tests, and the script that takes its pictures. */
export interface Studio {
  /** Resolves once the demo has its server. */
  ready(): Promise<void>
  /** One shot, with its render. */
  shot(title: string): Locator
  /** Starts to render a shot. */
  render(title: string, seconds?: 6 | 20 | 60): Promise<Locator>
  /** One thing that the desk does, with what it said. */
  desk(title: string): Locator
  /** Starts something that asks. */
  ask(title: string): Promise<Locator>
  /** Opens a question of the inbox, and resolves to its form. */
  question(message: string): Promise<Locator>
  /** Restarts the MCP server. */
  restart(): Promise<void>
  /** Opens the panel for developers. */
  openDevtools(): Promise<void>
}

/** Whatever the demo is doing, it is done within this time, in ms. */
const PATIENCE_MS = 30_000

export function studioOf(page: Page): Studio {
  const itemOf = (kind: string, title: string) =>
    page.getByTestId(kind).filter({ has: page.getByRole('heading', { name: title }) })
  const shot = (title: string) => itemOf('shot', title)
  const desk = (title: string) => itemOf('desk-item', title)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  return {
    ready: () => page.getByText('Connected', { exact: true }).waitFor(),
    shot,
    async render(title, seconds = 6) {
      await page.getByLabel('A render takes').selectOption(String(seconds))
      await press(`Render ${title}`)
      return shot(title)
    },
    desk,
    async ask(title) {
      await press(title)
      return desk(title)
    },
    async question(message) {
      const toggle = page.getByRole('button', { name: message })
      await toggle.waitFor({ timeout: PATIENCE_MS })
      if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
      return page.getByRole('group', { name: message })
    },
    restart: () => press('Restart the server'),
    async openDevtools() {
      await press('Taskwire')
      await page.getByRole('tab', { name: 'Calls' }).waitFor()
    },
  }
}

/** Resolves once a text is there to be seen. */
export function see(where: Locator, text: string | RegExp): Promise<void> {
  return where.getByText(text).first().waitFor({ timeout: PATIENCE_MS })
}
