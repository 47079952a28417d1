import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha256 } from './sha256.js'

const platform = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))

it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 100_000])(
  'our SHA-256 of %i characters is that of the platform',
  async (length) => {
    const text = 'x'.repeat(length)
    expect(sha256(text)).toEqual(await platform(text))
  },
)

it('our SHA-256 of any text is the SHA-256 of the platform', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
      expect(sha256(text)).toEqual(await platform(text))
    }),
  )
})
