import { ProtocolError } from '@modelcontextprotocol/server'
import { defineTool } from 'taskwire/server'
import { z } from 'zod'
import { type ReportOutput, reportInput, reportOutput } from '../shared/report.js'

const STEPS = 12
const SOURCE_UNAVAILABLE = -32050

/** Works for as long as it is told to and says how far it is. As a task where the client knows tasks. */
export const generateReport = defineTool({
  name: 'generate_report',
  title: 'Generate report',
  description: 'Collects the figures of all regions and writes a report. Takes the time it is given.',
  inputSchema: reportInput,
  outputSchema: reportOutput,
  taskSupport: 'optional',
  async handler({ title, seconds, outcome }, { task, sleep }) {
    const startedAt = Date.now()
    const work = async (from: number, to: number) => {
      for (let step = from; step <= to; step += 1) {
        await task?.setProgress(step, STEPS, step === STEPS ? 'Writing the summary' : 'Collecting figures')
        await sleep((seconds * 1000) / STEPS)
      }
    }

    await work(1, STEPS / 2)
    if (outcome === 'failure') throw new ProtocolError(SOURCE_UNAVAILABLE, 'The data source went away half-way.')
    if (outcome === 'tool error') {
      const text = 'The figures of two regions contradict each other, so no report was written.'
      return { content: [{ type: 'text', text }], isError: true }
    }
    await work(STEPS / 2 + 1, STEPS)

    const report = { ...figures(title), generatedInMs: Date.now() - startedAt }
    return { content: [{ type: 'text', text: summary(report) }], structuredContent: report }
  },
})

/** Answers at once: a call that never becomes a task. */
export const echoText = defineTool({
  name: 'echo_text',
  title: 'Echo text',
  description: 'Says what it is told.',
  inputSchema: z.object({ text: z.string().max(200) }),
  annotations: { readOnlyHint: true, idempotentHint: true },
  taskSupport: 'forbidden',
  handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
})

/** Made up, and the same for the same title. */
function figures(title: string): Omit<ReportOutput, 'generatedInMs'> {
  const seed = [...title].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7)
  const rows = ['North America', 'Europe', 'Asia Pacific', 'Latin America', 'Middle East'].map((region, index) => {
    const orders = 400 + ((seed * (index + 3)) % 1900)
    const revenue = orders * (38 + ((seed + index * 17) % 23))
    return { region, orders, revenue, change: (((seed * (index + 5)) % 320) - 110) / 1000 }
  })
  return { title, rows, total: rows.reduce((sum, { revenue }) => sum + revenue, 0) }
}

function summary({ title, rows, total }: ReportOutput): string {
  return `${title}: ${total} in ${rows.length} regions.`
}
