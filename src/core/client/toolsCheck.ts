import { isDevelopment } from '../environment/warn.js'
import { hash } from '../record/hash.js'
import type { ConnectionState } from '../wire/connection.js'
import type { ToolSchemas } from './toolsHash.js'

/** Called with each state of the connection. */
export type ToolsCheck = (state: ConnectionState, listTools: () => Promise<readonly ToolSchemas[]>) => void

/**
 * Returns a function to be called with each state of the connection. In development it compares the server's tools once
 * with those that the app's types were made of; in production it loads nothing and asks nothing.
 */
export function createToolsCheck(expected: string | undefined): ToolsCheck {
  let isDone = expected === undefined || !isDevelopment()
  return ({ status }, listTools) => {
    if (isDone || status !== 'connected') return
    isDone = true
    void import('./checkTools.js').then(({ checkTools }) => checkTools(expected, listTools, hash))
  }
}
