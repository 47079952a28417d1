import { beforeEach, describe, expect, it, vi } from 'vitest'

beforeEach(() => {
  vi.resetModules()
  return () => vi.unstubAllEnvs()
})

async function isChecked(): Promise<boolean> {
  const { inDevelopment } = await import('./inDevelopment.js')
  const check = vi.fn()
  inDevelopment?.(check)
  return check.mock.calls.length === 1
}

describe('what a developer got wrong is looked for', () => {
  it.each(['development', 'test'])('where NODE_ENV is %s', async (mode) => {
    vi.stubEnv('NODE_ENV', mode)
    expect(await isChecked()).toBe(true)
  })

  it('in a page without a bundler, which has no process', async () => {
    vi.stubGlobal('process', undefined)
    expect(await isChecked()).toBe(true)
  })

  it('not in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(await isChecked()).toBe(false)
  })
})
