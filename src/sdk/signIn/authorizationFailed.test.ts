import { expect, it } from 'vitest'
import { authorizationFailed } from './authorizationFailed.js'

it.each([
  ['denied', 'Call authorize() again when the user asks for it.'],
  ['refused', 'its log says more.'],
  ['unreachable', 'Check that it runs, and that it allows the origin of this page.'],
  ['no-code', 'Pass the whole URL, as in finishAuthorization(location.href).'],
  ['foreign-state', 'Call authorize() again.'],
  ['signed-out', 'Call authorize() again when the user asks for it.'],
  ['insecure', 'Fix authorization_endpoint in its metadata.'],
  ['popup-blocked', 'Call authorize() in the handler of a click, with nothing awaited before it.'],
] as const)('a sign-in that fails with %s says what to do about it', (reason, advice) => {
  const { message } = authorizationFailed(reason)
  expect(message.slice(0, 'Failed to sign in: '.length)).toBe('Failed to sign in: ')
  expect(message.slice(-advice.length)).toBe(advice)
})
