import { type ToolSchemas, toolsHash } from './toolsHash.js'

/**
 * Warns a developer where the server's tools are not those that the app's types were made of. Nothing is said where the
 * server cannot be asked.
 */
export async function checkTools(
  expected: string | undefined,
  listTools: () => Promise<readonly ToolSchemas[]>,
  hash: (text: string) => string,
): Promise<void> {
  try {
    if (toolsHash(await listTools(), hash) === expected) return
  } catch {
    // The call of the app says what is wrong.
    return
  }
  // biome-ignore lint/suspicious/noConsole: what a developer is to see, and no user.
  console.warn(
    '[taskwire] The tools of the server have changed since their types were written. Generate them again: npx taskwire types <url>',
  )
}
