import { useToolCall } from 'taskwire/vue'

export function useReport(props: { quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4' }) {
  const { data, error, call, cancel } = useToolCall(() => ({
    name: 'generate_report',
    arguments: { quarter: props.quarter },
  }))
  return { data, error, call, cancel }
}
