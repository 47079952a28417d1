import { Hono } from 'hono'
import { csrf } from 'hono/csrf'
import { push } from './backendPush.ts'

/**
 * `userOf` is yours: the signed-in user of a request, by the cookie of the
 * session.
 */
export function pushRoutes(
  userOf: (request: Request) => string | undefined,
): Hono {
  const app = new Hono()
  // Pages of other origins must not subscribe for your users.
  app.use(csrf())
  app.get('/', (c) => c.text(push.publicKey))
  app.post('/', async (c) => {
    const user = userOf(c.req.raw)
    if (user === undefined) return c.text('Sign in first.', 401)
    const isKept = await push.subscribe(user, await c.req.json())
    return isKept
      ? c.body(null, 204)
      : c.text('This is not a push subscription.', 400)
  })
  app.delete('/', async (c) => {
    const user = userOf(c.req.raw)
    if (user === undefined) return c.text('Sign in first.', 401)
    const { endpoint } = await c.req.json<{ endpoint: string }>()
    await push.unsubscribe(user, endpoint)
    return c.body(null, 204)
  })
  return app
}
