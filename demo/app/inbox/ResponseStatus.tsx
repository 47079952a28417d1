import type { InputResponseState } from 'taskwire'

interface ResponseStatusProps {
  readonly response: InputResponseState | undefined
  /** True if the fields say themselves what is wrong with them. */
  readonly isShownBeside: boolean
}

/**
 * How a response fares, from the click until the server has taken it. The paragraph stays, so that changes are read
 * out.
 */
export function ResponseStatus({ response, isShownBeside }: ResponseStatusProps) {
  return (
    <p role="status" className="question-status" data-tone={toneOf(response)}>
      {wordsFor(response, isShownBeside)}
    </p>
  )
}

function toneOf(response: InputResponseState | undefined): 'neutral' | 'warning' | 'danger' {
  if (response?.status === 'rejected') return 'danger'
  return response?.isRetrying === true ? 'warning' : 'neutral'
}

function wordsFor(response: InputResponseState | undefined, isShownBeside: boolean): string | undefined {
  if (response === undefined) return undefined
  if (response.status === 'sending') return response.isRetrying ? 'Not reached, trying again…' : 'Sending…'
  return isShownBeside ? 'Nothing was sent yet: see the fields that are marked.' : response.error.message
}
