import { createInterface } from 'node:readline'
import { CreateError } from './createError.js'

/** Asks the person at the terminal. */
export interface Questions {
  /** Resolves to the line that was typed. Rejects with `CANCELLED` at Ctrl-C, Ctrl-D, and when the input ends. */
  ask(question: string): Promise<string>
  close(): void
}

export function openQuestions(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  terminal: boolean,
): Questions {
  const lines = createInterface({ input, output, terminal })
  /** Typed before they were asked for. */
  const early: string[] = []
  let isClosed = false
  let waiting: { resolve(line: string): void; reject(error: CreateError): void } | undefined

  lines.on('line', (line) => {
    if (waiting === undefined) early.push(line)
    else waiting.resolve(line)
    waiting = undefined
  })
  lines.on('close', () => {
    isClosed = true
    if (waiting === undefined) return
    // What is said next begins a line.
    output.write('\n')
    waiting.reject(cancelled())
  })
  // Without a listener, some versions of Node go on waiting.
  lines.on('SIGINT', () => lines.close())

  return {
    ask: async (question) => {
      // The last line is the prompt, which readline draws again while a person types.
      const end = question.lastIndexOf('\n') + 1
      output.write(question.slice(0, end))
      const typed = early.shift()
      if (typed !== undefined) {
        // No prompt: the input may have ended, and then some versions of Node throw.
        output.write(`${question.slice(end)}${typed}\n`)
        return typed.trim()
      }
      if (isClosed) throw cancelled()
      lines.setPrompt(question.slice(end))
      lines.prompt()
      const line = await new Promise<string>((resolve, reject) => (waiting = { resolve, reject }))
      return line.trim()
    },
    close: () => lines.close(),
  }
}

function cancelled(): CreateError {
  return new CreateError('CANCELLED', 'Cancelled. Nothing was created.')
}
