import { ServerUnavailableError, startServer } from './startServer.js'

try {
  await startServer()
  await import('../app/main.js')
} catch (error) {
  document.getElementById('app')?.replaceChildren(explanation(error))
  if (!(error instanceof ServerUnavailableError)) throw error
}

/** Instead of a blank page. */
function explanation(error: unknown): HTMLElement {
  const [title, text] = [document.createElement('h1'), document.createElement('p')]
  title.textContent = 'The demo cannot run here'
  text.textContent = error instanceof Error ? error.message : String(error)
  const main = document.createElement('main')
  main.style.cssText = 'max-inline-size: 40rem; margin: 15vh auto; padding-inline: 1.5rem'
  main.append(title, text)
  return main
}
