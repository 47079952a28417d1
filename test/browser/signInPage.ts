import { createTaskClient } from 'taskwire'
import { browserAuthProvider } from 'taskwire/auth'
import type { RenderInput } from '../../demo/shared/render.js'

// An app as small as can be, with a callback page: one call with a key, made where nobody has made it, and the connection.
const query = new URLSearchParams(location.search)
const isPopup = sessionStorage.getItem('popup') !== null || query.has('popup')
if (isPopup) sessionStorage.setItem('popup', '')

const client = createTaskClient({
  url: '/mcp',
  push: false,
  authProvider: browserAuthProvider({
    redirectUrl: '/callback',
    clientMetadata: { client_name: 'Reports' },
    ...(isPopup && { openPopup: () => window.open('', 'sign-in', 'popup,width=480,height=640') }),
  }),
})

const output = document.createElement('output')
document.body.append(output)

if (location.pathname === '/callback') void finish()
else start()

async function finish(): Promise<void> {
  try {
    const outcome = await client.finishAuthorization(location.href)
    history.replaceState(null, '', '/callback')
    if (outcome === 'handed-over') window.close()
    else location.replace('/')
  } catch (error) {
    history.replaceState(null, '', '/callback')
    output.textContent = String(error)
  }
}

function start(): void {
  const render: RenderInput = { shot: 'harbour', seconds: 6, ending: 'goes well' }
  const signIn = button('Sign in', () => client.authorize())
  button('Report', () => client.startToolCall({ name: 'render_shot', arguments: { ...render } }, { key: 'harbour' }))
  function show(): void {
    const { connection, calls } = client.store.getState()
    const states = Object.values(calls).map(({ phase, network }) => `${phase}, ${network}`)
    output.textContent = [connection.status, ...states].join(', ')
    signIn.disabled = connection.status !== 'unauthorized'
  }
  client.store.subscribe(show)
  void client.connect().catch(() => {})
  void client.resumeToolCalls()
}

function button(text: string, click: () => unknown): HTMLButtonElement {
  const element = document.createElement('button')
  element.textContent = text
  element.onclick = click
  document.body.append(element)
  return element
}
