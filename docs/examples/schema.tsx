import { useToolCall } from 'taskwire/react'
import { z } from 'zod'

const Report = z.object({ title: z.string(), total: z.number() })

export function Total() {
  const { data, error } = useToolCall({
    name: 'generate_report',
    arguments: { quarter: 'Q3' },
    outputSchema: Report,
  })
  if (error) return <p role="alert">{error.message}</p>
  if (!data) return <p>Adding up…</p>
  if (data.isError)
    return (
      <p role="alert">The tool has refused: {JSON.stringify(data.content)}</p>
    )
  return <b>{data.structuredContent.total.toFixed(2)}</b>
}
