// `taskwire/server` as the servers of the live examples have it: the package itself, which also knows what a server was
// made with, so that a service worker can make the same one again, over a store that outlives it.
import { createTaskServer as create, type TaskServer, type TaskServerOptions } from '../../../src/server.js'

export * from '../../../src/server.js'

const made = new WeakMap<TaskServer, TaskServerOptions>()

export const createTaskServer = ((options: TaskServerOptions): TaskServer => {
  const server = create(options)
  made.set(server, options)
  return server
}) as typeof create

/**
 * Makes a server like this one. Its tools run again where a restart has cut them off: in the examples themselves, tasks
 * live in memory, and a restart loses them.
 */
export function createServerLike(server: TaskServer, parts: Partial<TaskServerOptions>): TaskServer {
  const options = made.get(server)
  if (options === undefined) throw new TypeError('Failed to make the server again: it is not one of an example.')
  const { tools: given } = options
  const tools = typeof given === 'function' ? given : given.map((tool) => ({ onOrphan: 'retry' as const, ...tool }))
  return create({ ...options, tools, ...parts })
}
