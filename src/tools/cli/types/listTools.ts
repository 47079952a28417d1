import { readFile } from 'node:fs/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ToolSchemas } from '../../../core/client/toolsHash.js'
import { asError } from '../../../core/protocol/asError.js'
import { isJsonObject } from '../../../core/protocol/json.js'
import { VERSION } from '../../../core/protocol/version.js'
import { isUrl, readUrl } from '../arguments.js'
import { clean } from '../clean.js'
import { CliError } from '../cliError.js'
import { FOUND, type Terminal } from '../terminal.js'

/** A tool as it is listed. */
export interface ListedTool extends ToolSchemas {
  readonly description: string | undefined
}

/** More pages than any server has: one that never stops is broken. */
const MAX_PAGES = 1000
const TIME_LIMIT_MS = 30_000

/** Options of {@link listTools}. */
export interface ListToolsOptions {
  readonly environment: Pick<Terminal['environment'], 'fetch'>
  /** How long each response may take, in ms. */
  readonly timeLimitMs?: number
}

/**
 * The tools of a server, or of a file, by name.
 *
 * @throws {CliError} if there are none.
 */
export async function listTools(
  target: string,
  headers: Record<string, string>,
  options: ListToolsOptions,
): Promise<ListedTool[]> {
  const listed = isUrl(target) ? await askServer(readUrl(target), headers, options) : await readList(target)
  const tools = new Map(listed.flatMap(parseTool).map((tool) => [tool.name, tool]))
  if (tools.size === 0) {
    throw new CliError(`There are no tools at ${shown(target)}. Check that it is the server you mean.`, {
      exitCode: FOUND,
    })
  }
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function askServer(
  url: URL,
  headers: Record<string, string>,
  { environment: { fetch }, timeLimitMs = TIME_LIMIT_MS }: ListToolsOptions,
): Promise<unknown[]> {
  const client = new Client({ name: 'taskwire-types', version: VERSION }, { versionNegotiation: { mode: 'auto' } })
  const limit = { timeout: timeLimitMs }
  try {
    await client.connect(new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers } }), limit)
    const tools: unknown[] = []
    let cursor: string | undefined
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await client.listTools(cursor === undefined ? undefined : { cursor }, limit)
      tools.push(...result.tools)
      cursor = result.nextCursor
      if (cursor === undefined) return tools
    }
    throw new CliError(`The server lists its tools on more than ${MAX_PAGES} pages.`)
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    const where = shown(url.href)
    const reason = clean(asError(cause).message).slice(0, 300)
    throw new CliError(
      `Failed to list the tools of ${where}: ${reason}\nTo find out what is wrong, run: npx taskwire doctor ${where}`,
      { cause },
    )
  } finally {
    await client.close().catch(() => {})
  }
}

async function readList(path: string): Promise<unknown[]> {
  let list: unknown
  try {
    list = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new CliError(
      `"${path}" is not an http: or https: URL, and could not be read as a JSON file: ${clean(asError(cause).message)}`,
      { cause },
    )
  }
  if (isJsonObject(list) && Array.isArray(list['tools'])) return list['tools']
  throw new CliError(`"${path}" is not a list of tools. It has to be { "tools": [ … ] }, as tools/list answers.`)
}

function parseTool(tool: unknown): ListedTool[] {
  if (!isJsonObject(tool) || typeof tool['name'] !== 'string') return []
  const { name, description, inputSchema, outputSchema } = tool
  return [{ name, inputSchema, outputSchema, description: typeof description === 'string' ? description : undefined }]
}

/** Without the query, which may hold a token. */
function shown(target: string): string {
  return isUrl(target) ? target.replace(/[?#].*/s, '') : target
}
