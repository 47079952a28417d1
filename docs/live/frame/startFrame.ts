import { ServerUnavailableError, startServer } from '../../../demo/page/startServer.js'

/**
 * Starts the server of an example, which is a service worker, and then the example.
 *
 * @param load imports the example
 */
export async function startFrame(load: () => Promise<unknown>): Promise<void> {
  try {
    await startServer('../server.js', './')
    await load()
    document.body.inert = false
  } catch (error) {
    const paragraph = document.createElement('p')
    paragraph.setAttribute('role', 'alert')
    paragraph.textContent = error instanceof Error ? error.message : String(error)
    document.body.replaceChildren(paragraph)
    document.body.inert = false
    if (!(error instanceof ServerUnavailableError)) throw error
  }
}
