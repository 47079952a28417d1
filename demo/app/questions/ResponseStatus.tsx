import type { InputResponseState } from 'taskwire'

interface ResponseStatusProps {
  readonly response: InputResponseState | undefined
  /** True if the fields say themselves what is wrong with them. */
  readonly isShownBeside: boolean
}

/** How an answer fares, from the click until the server has taken it. The paragraph stays, so that changes are read out. */
export function ResponseStatus({ response, isShownBeside }: ResponseStatusProps) {
  return (
    <p role="status" className={response?.status === 'rejected' ? 'question-problem' : 'question-status'}>
      {words(response, isShownBeside)}
    </p>
  )
}

function words(response: InputResponseState | undefined, isShownBeside: boolean): string | undefined {
  if (response === undefined) return undefined
  if (response.status === 'sending') return response.isRetrying ? 'Not reached, trying again…' : 'Sending…'
  return isShownBeside ? 'Nothing was sent yet: see the fields that are marked.' : response.error.message
}
