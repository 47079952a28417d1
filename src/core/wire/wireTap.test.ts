import { describe, expect, it } from 'vitest'
import { tappedFetch, type WirePiece, type WireTap } from './wireTap.js'

const URL_ = 'https://tasks.example/mcp'
const INIT = { method: 'POST' }

describe('tappedFetch()', () => {
  it('shows each request and a copy of its response while somebody looks', async () => {
    const pieces: WirePiece[] = []
    const tap: WireTap = { onWire: (piece) => pieces.push(piece) }
    let time = 0
    const fetch = tappedFetch(
      async () => new Response('words'),
      tap,
      () => ++time,
    )
    const response = await fetch(URL_, INIT)
    expect(pieces).toEqual([{ at: 1, url: URL_, init: INIT, answer: expect.any(Promise) }])
    const [piece] = pieces as Extract<WirePiece, { url: unknown }>[]
    const answer = await piece?.answer
    expect(answer?.at).toBe(2)
    expect([await response.text(), await answer?.copy.text()]).toEqual(['words', 'words'])
    tap.onWire = undefined
    await fetch(URL_, INIT)
    expect(pieces).toHaveLength(1)
  })

  it('leaves no rejection to nobody where the request fails', async () => {
    const unhandled: unknown[] = []
    const listener = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listener)
    const fetch = tappedFetch(() => Promise.reject(new TypeError('fetch failed')), { onWire: () => {} }, Date.now)
    await expect(fetch(URL_)).rejects.toThrow('fetch failed')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', listener)
    expect(unhandled).toEqual([])
  })
})
