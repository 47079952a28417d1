import { useToolCallMutation } from 'taskwire/react'

/** A tool that answers at once: the same hook, and no task. */
export function FarmStatus() {
  const farm = useToolCallMutation({ name: 'farm_status' })
  const answer = farm.data?.content.find((block) => block.type === 'text')?.text
  return (
    <span className="farm">
      <span aria-live="polite">{farm.error ? 'The farm cannot be reached.' : answer}</span>
      <button type="button" className="button quiet" aria-disabled={farm.isPending} onClick={() => farm.mutate({})}>
        Show free machines
      </button>
    </span>
  )
}
