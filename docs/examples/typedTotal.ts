import { useToolCall } from 'taskwire/react'

export function useTotal(quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4') {
  const { data } = useToolCall({
    name: 'generate_report',
    arguments: { quarter },
  })
  // number | undefined
  return data && !data.isError ? data.structuredContent.total : undefined
}
