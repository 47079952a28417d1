import type { ToolCallState } from '../../../src/index.js'

/** What the picture of the landing page does by itself, in this order. */
export type HeroStep = 'idle' | 'started' | 'reloaded' | 'second-tab' | 'done'

/** What is told of each step. */
export const HERO_STEPS: readonly { readonly step: HeroStep; readonly text: string }[] = [
  { step: 'started', text: 'The page calls a tool that takes ten seconds.' },
  { step: 'reloaded', text: 'The page is reloaded, and shows the same task again.' },
  { step: 'second-tab', text: 'A second tab shows it, too.' },
  { step: 'done', text: 'Both have the result.' },
]

/**
 * @param calls how often `tools/call` was sent since the picture was started
 * @returns what is said of it at the end
 */
export function wordsOfCalls(calls: number): string {
  // The page of the frame may show a task that a visit before has left running.
  if (calls === 0) return 'No tools/call was sent: the task is that of a visit before.'
  return `tools/call was sent ${calls === 1 ? 'once' : `${calls} times`}.`
}

/**
 * @param step that was taken last
 * @param call as the first frame has it
 * @returns the step to take now; undefined while it is too early
 */
export function nextStep(step: HeroStep, call: ToolCallState | undefined): HeroStep | undefined {
  if (step === 'idle' || step === 'done' || call === undefined) return undefined
  // The visitor has cancelled it in the frame, for instance.
  if (call.endedAt !== undefined) return step === 'second-tab' ? 'done' : 'idle'
  const progress = call.progress?.progress ?? 0
  if (step === 'started' && progress >= 1) return 'reloaded'
  if (step === 'reloaded' && progress >= 2) return 'second-tab'
  return undefined
}
