import { Hono } from 'hono'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env['WEBHOOK_SECRET'] ?? '')

/** Put the database of your app here. */
const known = new Set<string>()

const app = new Hono()

app.post('/hooks/calls', async (c) => {
  const headers = Object.fromEntries(c.req.raw.headers)
  try {
    const event = webhook.verify(await c.req.text(), headers)
    const id = headers['webhook-id'] ?? ''
    if (!known.has(id)) console.log(event)
    known.add(id)
    return c.body(null, 204)
  } catch {
    return c.text('The signature is not right.', 401)
  }
})

export default app
