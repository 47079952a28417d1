import { ServerUnavailableError, startServer } from './startServer.js'

/** How long the page waits before it says what it waits for, in ms. */
const SLOW_MS = 1000

const slow = setTimeout(
  show,
  SLOW_MS,
  'Starting the demo',
  'Its server is a service worker, which this browser is about to start.',
)

try {
  await startServer().finally(() => clearTimeout(slow))
  await import('../app/main.js')
} catch (error) {
  show('The demo cannot run here', error instanceof Error ? error.message : String(error))
  if (!(error instanceof ServerUnavailableError)) throw error
}

/** Instead of a blank page. */
function show(title: string, text: string): void {
  const main = document.createElement('main')
  const heading = document.createElement('h1')
  const paragraph = document.createElement('p')
  heading.textContent = title
  paragraph.textContent = text
  main.style.cssText = 'display: grid; gap: 0.5rem; max-inline-size: 40rem; margin: 15vh auto; padding-inline: 1.5rem'
  main.append(heading, paragraph)
  document.getElementById('app')?.replaceChildren(main)
}
