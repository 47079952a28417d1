import { expect, it, vi } from 'vitest'

it('taskwire/testing loads where there is no msw', async () => {
  vi.doMock('msw', () => {
    throw new Error("Cannot find package 'msw'")
  })
  await expect(import('msw')).rejects.toThrow()
  const { createTestServer, scriptTask } = await import('taskwire/testing')
  expect(createTestServer({ tools: [scriptTask([{ status: 'working' }])] }).requests).toEqual([])
})
