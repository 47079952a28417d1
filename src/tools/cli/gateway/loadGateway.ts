import { CliError } from '../cliError.js'

/** What the gateway is made with, which is not installed with this package. */
export interface GatewayModules {
  readonly gateway: typeof import('../../gateway/createTaskGateway.js')
  readonly stdio: typeof import('@modelcontextprotocol/client/stdio')
  readonly server: typeof import('@modelcontextprotocol/server')
  readonly node: typeof import('@modelcontextprotocol/node')
}

/**
 * Loads the official SDK.
 *
 * @throws {CliError} with the command that installs it.
 */
export async function loadGateway(): Promise<GatewayModules> {
  try {
    const [stdio, server, node] = await Promise.all([
      import('@modelcontextprotocol/client/stdio'),
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/node'),
    ])
    return { stdio, server, node, gateway: await import('../../gateway/createTaskGateway.js') }
  } catch (cause) {
    throw new CliError(
      'The gateway needs the official MCP SDK, which is not installed. Install Taskwire and the SDK in your project, then try again:\n\n' +
        '  npm i -D taskwire @modelcontextprotocol/client @modelcontextprotocol/server @modelcontextprotocol/node',
      { cause },
    )
  }
}
