import { createClient, forms, inputs, tabs } from 'taskwire/core'

export const client = createClient(
  { url: 'https://example.com/mcp' },
  { forms, inputs, tabs },
)
