import { render, screen } from '@testing-library/react'
import { createTaskClient } from 'taskwire'
import { expect, test } from 'vitest'
import { App } from './testingApp'
import { openApp, report, start } from './testingPage'

test('finds its report again after a reload', async () => {
  const { server, unmount, advance } = openApp([report])
  start()
  await advance(1500)
  const { environment } = await server.page.reload()
  unmount()

  render(<App client={createTaskClient({ url: server.url, environment })} />)
  await advance(10_000)
  expect(screen.getByText('The report of Q3')).toBeDefined()
  expect(server.count('tools/call')).toBe(1)
})
