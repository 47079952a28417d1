import { expect, it, onTestFinished, vi } from 'vitest'
import { PATIENCE } from '../../../test/support/patience.js'
import { PAGE } from '../cli/gateway/pageFiles.js'

const byId = (id: string) => document.getElementById(id) as HTMLElement

it('says that the gateway refuses the token that was entered', async () => {
  const refuse = async () => new Response(null, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } })
  vi.stubGlobal('fetch', refuse)
  onTestFinished(() => {
    document.body.replaceChildren()
    sessionStorage.clear()
  })
  document.body.innerHTML = PAGE.slice(PAGE.indexOf('<header>'), PAGE.indexOf('</body>'))
  await import('./main.js')
  await vi.waitFor(() => expect(byId('token').hidden).toBe(false), PATIENCE)
  expect(byId('problem').textContent).toBe('')
  const field = byId('token-field') as HTMLInputElement
  field.value = 'wrong'
  byId('token').dispatchEvent(new Event('submit', { cancelable: true }))
  await vi.waitFor(() => expect(byId('problem').textContent).toBe('The gateway refuses this token.'), PATIENCE)
  expect(byId('token').hidden).toBe(false)
})
