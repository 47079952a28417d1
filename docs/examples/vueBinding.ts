import { useToolCall } from 'taskwire/vue'

export function useReport(props: { quarter: string }) {
  const { data, error, call, cancel } = useToolCall(() => ({
    name: 'generate_report',
    arguments: { quarter: props.quarter },
  }))
  return { data, error, call, cancel }
}
