import type { Fault } from './createFaultInjection.js'

/** The faults, as the panel names them. */
export const FAULT_NAMES: Readonly<Record<Fault, string>> = {
  offline: 'Offline',
  'lose-next-answer': 'Lose the next answer',
  'answer-503': 'Answer 503',
  slow: 'Slow',
  freeze: 'Freeze',
}
