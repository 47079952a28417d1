import { createServer, type RequestListener } from 'node:http'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskGateway } from 'taskwire/gateway'

const gateway = createTaskGateway({
  transport: () =>
    new StdioClientTransport({
      command: 'npx',
      args: ['-y', 'some-mcp-server'],
    }),
  cors: { origin: ['https://app.example'] },
  async authenticate(request) {
    const token =
      request.headers.get('authorization')?.replace(/^Bearer /i, '') ?? ''
    const found = await fetch('https://app.example/api/me', {
      headers: { authorization: `Bearer ${token}` },
    })
    if (!found.ok) return new Response(null, { status: 401 })
    const { id } = (await found.json()) as { id: string }
    return { token, clientId: 'page', scopes: [], extra: { sub: id } }
  },
  afterMs: 5000,
  tasks: ['render_video'],
})

// The cast is for exactOptionalPropertyTypes; without that option it is not
// needed.
createServer(toNodeHandler(gateway) as RequestListener).listen(3000)
process.on(
  'SIGTERM',
  () => void gateway.close({ drainMs: 20_000 }).then(() => process.exit()),
)
