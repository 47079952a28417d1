import { useToolCall } from 'taskwire/react'
import { z } from 'zod'

// #region schema
const Report = z.object({ title: z.string(), total: z.number() })

export function Total() {
  const { data } = useToolCall({ name: 'generate_report', outputSchema: Report })
  return data && !data.isError ? <b>{data.structuredContent.total.toFixed(2)}</b> : null
}
// #endregion schema
