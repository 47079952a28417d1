import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp, report, start } from './testingPage'

test('says so while it cannot reach the server, and goes on', async () => {
  const { server, advance } = openApp([report])
  start()
  await advance(500)
  server.faults.drop({ method: 'tasks/get', times: 1 })
  await advance(1000)
  expect(screen.getByRole('status').textContent).toBe('Reconnecting')
  await advance(10_000)
  expect(screen.getByText('The report of Q3')).toBeDefined()
})
