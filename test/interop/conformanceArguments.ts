type Arguments = Record<string, unknown>

/** What a scenario wants a tool to be called with, several times where it says so. */
export function argumentsFor(name: string, schemas: ReadonlyMap<string, unknown>): Arguments[] {
  const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
    toolCalls?: { name: string; arguments: Arguments }[]
  }
  const wanted = (context.toolCalls ?? []).filter((call) => call.name === name).map((call) => call.arguments)
  if (wanted.length > 0) return wanted
  if (name === 'add_numbers') return [{ a: 5, b: 3 }]
  if (name === 'json_schema_echo') return [{ schema: schemas.get('json_schema_2020_12_tool') }]
  return [{ region: 'us-west1', value: 'a' }]
}
