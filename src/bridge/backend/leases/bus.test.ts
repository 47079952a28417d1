import { expect, it, vi } from 'vitest'
import { createBus } from './bus.js'
import { createChannels } from './channels.js'

it('drops a message that cannot be sent, without an unhandled rejection', async () => {
  const send = vi.fn(() => Promise.reject(new Error('The database is away.')))
  const bus = createBus({ open: async () => {}, shut: () => {}, send })
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  createChannels(bus, () => 'own')('calls').postMessage({ type: 'hello' })
  await expect(bus.publish('a', 'b')).resolves.toBeUndefined()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(send).toHaveBeenCalledTimes(2)
  expect(unhandled).not.toHaveBeenCalled()
})
