import { useToolCall } from 'taskwire/react'
import { z } from 'zod'

const Report = z.object({ title: z.string(), total: z.number() })

export function Total() {
  const { data } = useToolCall({ name: 'generate_report', arguments: { quarter: 'Q3' }, outputSchema: Report })
  return data && !data.isError ? <b>{data.structuredContent.total.toFixed(2)}</b> : null
}
