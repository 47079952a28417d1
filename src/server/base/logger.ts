import type { ReportError, TaskServerErrorContext } from './reportError.js'
import type { TaskServerEvent } from './taskServerEvents.js'

/** Writes one line of a log: a message, and fields with details. */
export type LogLine = (message: string, fields: Readonly<Record<string, unknown>>) => void

/** The log of a task server. `console` fits, and so do most loggers that take their arguments in this order. */
export interface TaskLogger {
  /** A tool has thrown an error, or the store or the queue has failed. */
  readonly error: LogLine
  /** Work was lost or resumed, or a request was refused because a limit was reached. */
  readonly warn: LogLine
  /** Tasks: created, claimed, ended, handed over. */
  readonly info: LogLine
  /** Requests that were refused as invalid, and conflicts in the store. */
  readonly debug: LogLine
}

/** As much of the console as matters where nothing goes wrong: nothing. */
const quiet: LogLine = () => {}
const CONSOLE: TaskLogger = {
  // biome-ignore lint/suspicious/noConsole: it is what developers see by default.
  error: (message, fields) => console.error(`[taskwire] ${message}:`, ...errorFirst(fields)),
  // biome-ignore lint/suspicious/noConsole: it is what developers see by default.
  warn: (message, fields) => console.warn(`[taskwire] ${message}`, fields),
  info: quiet,
  debug: quiet,
}

/** A log that never throws. */
export interface ServerLog {
  error(error: unknown, context: TaskServerErrorContext): void
  event(event: TaskServerEvent): void
}

/** The log of the options `logger` and `onError`: errors go to `onError` where there is one, everything else to the logger. */
export function createServerLog(logger: TaskLogger = CONSOLE, onError?: ReportError): ServerLog {
  const attempt = (write: () => void) => {
    try {
      write()
    } catch {
      // A log that fails must not change what the client gets.
    }
  }
  return {
    error: (error, context) =>
      attempt(() => {
        if (onError !== undefined) return onError(error, context)
        const { source, tool } = context
        if (source === 'request') return logger.debug('request refused', { error, ...context })
        const where = tool === undefined ? source : `${source} ${JSON.stringify(tool)}`
        logger.error(`${where} failed`, { error, ...context })
      }),
    event: (event) =>
      attempt(() => {
        const level = LEVELS[event.type]
        if (level === undefined || logger[level] === quiet) return
        const { type, ...fields } = event
        logger[level](type.replaceAll('-', ' '), fields)
      }),
  }
}

/** What is measured alone has no level. */
const LEVELS: Readonly<Record<TaskServerEvent['type'], keyof TaskLogger | undefined>> = {
  'task-created': 'info',
  'task-claimed': 'info',
  'task-ended': 'info',
  'task-handed-over': 'info',
  'lease-lost': 'warn',
  'task-rescued': 'warn',
  'limit-reached': 'warn',
  'store-conflict': 'debug',
  'store-used': undefined,
}

/** The error as it is, so that the console shows its stack, and beside it what finds the request. */
function errorFirst({ error, requestId }: Readonly<Record<string, unknown>>): unknown[] {
  return requestId === undefined ? [error] : [error, { requestId }]
}
