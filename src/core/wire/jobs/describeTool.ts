import type { Tool } from '../../protocol/tool.js'
import type { Job } from './job.js'

const WAITS = 'The call waits for the job and returns its outcome: there is nothing to poll.'

/**
 * The description of a tool, for a model. The server's own may say that the tool answers with an id, and name the tool to poll:
 * where the tool starts a job, a sentence follows that corrects it.
 */
export function describeTool(tool: Pick<Tool, 'name' | 'description'>, jobs: readonly Job[]): string | undefined {
  if (!jobs.some(({ start }) => start === tool.name)) return tool.description
  return [tool.description, WAITS].filter(Boolean).join('\n\n')
}
