import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp, report, start } from './testingPage'

test('shows progress, then the report', async () => {
  const { server, advance } = openApp([report])
  start()
  await advance(1000)
  expect(screen.getByRole('status').textContent).toBe('Collecting the figures')
  await advance(4000)
  expect(screen.getByText('The report of Q3')).toBeDefined()
  expect(server.count('tools/call', 'generate_report')).toBe(1)
  expect(server.times('tasks/get')).toEqual([1000, 2000, 3000, 4000, 5000])
})
