import { server } from '../../lib/server/reports'
import type { RequestHandler } from './$types'

// GET, POST, DELETE and what else the protocol may use.
export const fallback: RequestHandler = ({ request }) => server.fetch(request)
