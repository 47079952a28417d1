import { describe, isInvalidParams } from './answers.js'
import type { Check } from './check.js'
import { streamLines, tasksLines } from './lines.js'
import { LEGACY_REVISION } from './messages.js'

/** What a server that speaks MCP may get wrong about tasks. */
export const taskChecks: readonly Check[] = [
  {
    id: 'tasks',
    title: 'It serves tasks',
    run: ({ server }) => {
      if (server === undefined) return undefined
      if (server.servesTasks) return []
      const problem =
        server.era === 'legacy' && server.revision < LEGACY_REVISION
          ? `The server speaks MCP ${server.revision}, which has no tasks.`
          : 'The server does not say that it serves tasks.'
      return [
        {
          problem: `${problem} Calls work, but each holds its connection open until the tool is done, and none survives a reload.`,
          remedy:
            server.era === 'modern'
              ? 'Declare the extension io.modelcontextprotocol/tasks in the capabilities, and serve tasks/get, tasks/update and tasks/cancel.'
              : 'Serve the tasks extension of MCP 2026-07-28, or declare capabilities.tasks.requests.tools.call.',
          lines: tasksLines,
        },
      ]
    },
  },
  {
    id: 'unknown-task',
    title: 'An unknown task is reported as unknown',
    run: ({ unknownTask }) => {
      if (unknownTask === undefined) return undefined
      if (isInvalidParams(unknownTask)) return []
      return [
        {
          problem: `tasks/get with an id that no task has got ${describe(unknownTask)}; the specification wants the error -32602. Clients cannot tell that a task is gone.`,
          remedy: 'Answer tasks/get for unknown ids with the JSON-RPC error -32602, and HTTP 200.',
          lines: { nginx: 'proxy_intercept_errors off;  # where the response is a page of the proxy' },
        },
      ]
    },
  },
  {
    id: 'push',
    title: 'A push stream opens',
    run: ({ stream }) => {
      if (stream === undefined) return undefined
      if (stream.outcome !== 'silent' && stream.outcome !== 'refused') return []
      const what = stream.outcome === 'silent' ? 'but nothing comes through' : stream.answer && describe(stream.answer)
      return [
        {
          problem: `subscriptions/listen got no event stream: ${what}. Clients poll, but learn of changes later.`,
          remedy:
            'Pass text/event-stream on as it comes: no buffering, no compression. A server without push answers -32601.',
          lines: streamLines,
        },
      ]
    },
  },
  {
    id: 'idle-stream',
    title: 'A stream without news stays open',
    run: ({ stream }) => {
      if (stream === undefined || stream.outcome === 'unsupported') return undefined
      if (stream.outcome !== 'cut') return stream.outcome === 'open' ? [] : undefined
      return [
        {
          problem: `A push stream was cut off after ${(stream.lastedMs / 1000).toFixed(1)} s, without a final message from the server. Clients connect again and again.`,
          remedy:
            'Raise the time limit of the proxy in between, or send a comment (": keepalive") more often than that.',
          lines: streamLines,
        },
      ]
    },
  },
  {
    id: 'task',
    title: 'A task runs from start to end',
    run: ({ run }) => {
      if (run === undefined) return undefined
      const { tool, outcome, detail, toolError } = run
      if (outcome === 'lost') {
        return [
          {
            problem: `The server does not know the task that it has just created for "${tool}". There may be several processes, each with tasks of its own.`,
            remedy: 'Give all processes one store, or send each client to the same process.',
            lines: {
              taskwire: 'createTaskServer({ …, store: redisTaskStore(redis) })',
              nginx: 'upstream mcp { ip_hash; … }',
            },
          },
        ]
      }
      if (outcome === 'refused') {
        return [
          {
            problem: `The server refused to call "${tool}": ${detail}.`,
            remedy: 'Check the name and the arguments against its list of tools: npx taskwire types <url>.',
          },
        ]
      }
      if (outcome === 'broken') {
        return [
          {
            problem: `The task of "${tool}" broke the specification: ${detail}.`,
            remedy: "Report it to the server's maintainers.",
          },
        ]
      }
      if (outcome === 'endless') {
        return [
          {
            problem: `The task of "${tool}" outlived its ttlMs.`,
            remedy: 'Give tasks a ttlMs that is longer than the tool takes.',
            lines: { taskwire: 'createTaskServer({ …, defaultTtlMs: 3_600_000 })' },
          },
        ]
      }
      if (outcome === 'cancelled') {
        return [
          {
            problem: `The server cancelled the task of "${tool}"${detail === undefined ? '' : `: ${detail}`}.`,
            remedy: 'Read the log of the server.',
          },
        ]
      }
      if (toolError !== undefined) {
        return [
          {
            problem: `The protocol holds, but the tool "${tool}" failed: ${toolError.replace(/\.$/, '')}.`,
            remedy:
              'Check --arguments, and read the log of the server. The doctor answers no input requests, so a tool that asks the user may fail here.',
          },
        ]
      }
      return outcome === 'completed' ? [] : undefined
    },
  },
]
