import { server } from '../../lib/server/reports'
import type { RequestHandler } from './$types'

// GET, POST, DELETE and any other method that the protocol may use.
export const fallback: RequestHandler = ({ request }) => server.fetch(request)
