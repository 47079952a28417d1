import { expect, it } from 'vitest'
import { measurePage } from '../scripts/bundles.mjs'

it('a page with taskwire/lite ships nothing of the SDK, nor what the SDK needs', async () => {
  const { files } = await measurePage('taskwire/lite')
  const packages = [...files].flatMap((file) => /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? [])
  expect([...new Set(packages)].sort()).toEqual(['zustand'])
  expect([...files].filter((file) => /sdkV[12]|[\\/]legacy[\\/]|[\\/]transport[\\/]/.test(file))).toEqual([])
})

it('a page with taskwire/bridge ships nothing of MCP: no SDK, no polls, no records', async () => {
  const { files } = await measurePage('taskwire/bridge')
  const packages = [...files].flatMap((file) => /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? [])
  expect([...new Set(packages)].sort()).toEqual(['zustand'])
  expect(
    [...files].filter((file) => /sdk|legacy|transport|polls|recordStore|push|[\\/]server[\\/]/i.test(file)),
  ).toEqual([])
})
