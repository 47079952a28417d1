import { mcp } from './serverSignIn.ts'

export default {
  fetch(
    request: Request,
    _env: unknown,
    ctx: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    return mcp.fetch(request, { waitUntil: (work) => ctx.waitUntil(work) })
  },
}
