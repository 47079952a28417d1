// app/mcp/route.ts, and the same as
// app/.well-known/oauth-protected-resource/mcp/route.ts
import { after } from 'next/server'
import { mcp } from './serverSignIn.ts'

const handle = (request: Request) =>
  mcp.fetch(request, { waitUntil: (work) => after(() => work) })

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as POST }
