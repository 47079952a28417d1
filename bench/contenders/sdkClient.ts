import { Client } from '@modelcontextprotocol/client'

export const clientInfo = { name: 'bench', version: '1.0.0' }

/** The official client, which all but the bare loop stand on. */
export function createSdkClient(): Client {
  return new Client(clientInfo, { versionNegotiation: { mode: 'auto' } })
}
