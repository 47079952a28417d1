import { z } from 'zod'

/** What becomes of a report; the last two exist to show how errors are told apart. */
export const outcomes = ['success', 'failure', 'tool error'] as const

/** The arguments of `generate_report`. */
export const reportInput = z.object({
  title: z.string().trim().min(1).max(80),
  seconds: z.int().min(6).max(60),
  outcome: z.enum(outcomes),
})

/** Its `structuredContent`. */
export const reportOutput = z.object({
  title: z.string(),
  rows: z.array(
    z.object({
      region: z.string(),
      orders: z.int(),
      revenue: z.number(),
      /** Against the quarter before: 0.04 is 4 % more. */
      change: z.number(),
    }),
  ),
  total: z.number(),
  generatedInMs: z.int(),
})

export type ReportInput = z.infer<typeof reportInput>
export type ReportOutput = z.infer<typeof reportOutput>
