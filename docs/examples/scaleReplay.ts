import { defineTool } from 'taskwire/server'
import { z } from 'zod'

/** Stands for your own shop. */
const shop = {
  charge: async (order: string) => ({ receipt: `Receipt of ${order}` }),
  ship: async (_order: string) => {},
}

export const order = defineTool({
  name: 'order',
  inputSchema: z.object({ order: z.string() }),
  taskSupport: 'required',
  onOrphan: 'retry',
  async handler({ order }, { elicit, once }) {
    // Asked once: a handler that runs again has the response.
    const requestedSchema = z.object({ sure: z.boolean() })
    const answer = await elicit({ message: `Order ${order}?`, requestedSchema })
    if (answer.action !== 'accept')
      return { content: [{ type: 'text', text: 'Not ordered' }] }
    // Runs once: a handler that runs again has the receipt.
    const { receipt } = await once('charge', () => shop.charge(order))
    // May run twice: shipping the same order again does nothing.
    await shop.ship(order)
    return { content: [{ type: 'text', text: receipt }] }
  },
})
