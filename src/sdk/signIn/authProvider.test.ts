import { expect, it } from 'vitest'
import { type AnyAuthProvider, isBrowserAuthProvider, isOAuthClientProvider } from './authProvider.js'

it.each([
  ['nobody', undefined, [false, false]],
  ['a page that signs in when the user asks for it', { forServer: () => {} }, [true, false]],
  ['the OAuth of the SDK', { redirectToAuthorization: () => {} }, [false, true]],
  ['a token', { token: () => {} }, [false, false]],
])('an authProvider that is %s', (_, given, expected) => {
  const provider = given as unknown as AnyAuthProvider | undefined
  expect([isBrowserAuthProvider(provider), isOAuthClientProvider(provider)]).toEqual(expected)
})
