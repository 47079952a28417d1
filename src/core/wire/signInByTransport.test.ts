import { UnauthorizedError } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { signInByTransport } from './signInByTransport.js'

const failing = () => Promise.reject(new UnauthorizedError())

describe('signInByTransport()', () => {
  it('sends nothing by itself after a sign-in that failed, until a request of the app passes', async () => {
    const signIn = signInByTransport()
    const request = vi.fn(async () => 1)
    await expect(signIn.send(failing)).rejects.toBeInstanceOf(UnauthorizedError)
    await expect(signIn.send(request)).rejects.toMatchObject({ kind: 'auth' })
    expect(request).not.toHaveBeenCalled()
    expect(await signIn.sendForApp(request)).toBe(1)
    expect(await signIn.send(request)).toBe(1)
  })

  it('sends again where the app allows it, and after an error that is no sign-in', async () => {
    const signIn = signInByTransport()
    await signIn.send(failing).catch(() => {})
    signIn.hold()
    signIn.allow()
    await signIn.send(() => Promise.reject(new TypeError('fetch failed'))).catch(() => {})
    expect(await signIn.send(async () => 1)).toBe(1)
  })

  it('goes on to send nothing where a request passes that was sent before', async () => {
    const signIn = signInByTransport()
    let pass: (value: number) => void = () => {}
    const before = signIn.sendForApp(() => new Promise<number>((resolve) => (pass = resolve)))
    await signIn.send(failing).catch(() => {})
    pass(1)
    expect(await before).toBe(1)
    await expect(signIn.send(async () => 1)).rejects.toMatchObject({ kind: 'auth' })
  })
})
