// An app that signs in, as the official conformance suite watches it: the page of `browserAuthProvider`, where the user
// allows whatever the authorization server asks, and comes back. Where the app has a secret, which no page can keep, it is
// an app in Node with a provider of its own.
import type { OAuthClientProvider, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { createTaskClient } from 'taskwire'
import { browserAuthProvider } from 'taskwire/auth'
import { argumentsFor } from './conformanceArguments.js'

const [, , , url] = process.argv
if (url === undefined) throw new TypeError('Usage: conformanceAuth.ts auth URL')

const REDIRECT_URL = 'http://localhost:3000/callback'
/** As often as the user can be expected to sign in for one thing. */
const MAX_SIGN_INS = 3

/** Where the authorization server has led the user back to. */
let callback: string | undefined

async function visit(to: URL): Promise<void> {
  const response = await fetch(to, { redirect: 'manual' })
  callback = response.headers.get('location') ?? undefined
}

/** A page, as far as a sign-in needs one. */
let visited = Promise.resolve()
Object.assign(globalThis, {
  location: {
    href: 'http://localhost:3000/',
    assign: (to: URL) => {
      visited = visit(to)
    },
  },
})

/** The app of the scenario that has registered it before, with a secret. */
function registeredApp(client: StoredOAuthClientInformation): OAuthClientProvider {
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  return {
    redirectUrl: REDIRECT_URL,
    clientMetadata: { redirect_uris: [REDIRECT_URL] },
    clientInformation: () => client,
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved
    },
    codeVerifier: () => verifier,
    saveCodeVerifier: (saved) => {
      verifier = saved
    },
    redirectToAuthorization: visit,
  }
}

const { client_id, client_secret } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}')
const authProvider =
  client_secret === undefined
    ? browserAuthProvider({
        redirectUrl: REDIRECT_URL,
        clientMetadata: { client_name: 'taskwire-conformance' },
        clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
      })
    : registeredApp({ client_id, client_secret })
const client = createTaskClient({ url, authProvider, storage: 'memory' })

async function signIn(): Promise<void> {
  callback = undefined
  if ((await client.authorize()) === 'authorized') return
  await visited
  if (callback === undefined) throw new Error('The authorization server led nowhere.')
  await client.finishAuthorization(callback)
}

/** What a user does who is asked to sign in: signs in and tries again, and not for ever. */
async function signedIn<T>(work: () => Promise<T>): Promise<T> {
  for (let signIns = 0; ; signIns++) {
    try {
      return await work()
    } catch (error) {
      if (client.store.getState().connection.status !== 'unauthorized' || signIns === MAX_SIGN_INS) throw error
      await signIn()
    }
  }
}

try {
  const tools = await signedIn(() => client.listTools())
  const schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]))
  for (const { name } of tools) {
    for (const args of argumentsFor(name, schemas)) await signedIn(() => client.callTool({ name, arguments: args }))
  }
} catch (error) {
  // Some scenarios want the sign-in to be refused.
  console.error(`refused: ${error}`)
}
await client.close()
