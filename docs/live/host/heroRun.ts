import type { ToolCallState } from '../../../src/index.js'
import { type HeroStep, nextStep } from './heroSteps.js'

/** What a run of the picture does. */
export interface HeroStage {
  show(step: HeroStep): void
  reload(): void
  cancel(callId: string): void
}

/** The calls of the first frame, as its client has them: none while its page is being reloaded. */
type Calls = Readonly<Record<string, ToolCallState>>

/** The runs of the picture, one after the other. Each has a call of its own; the visitor may make others in the frame. */
export interface HeroRun {
  /** Right before the frame makes the call. One that a visit before has left running is as good. */
  begin(calls: Calls): void
  /** Cancels the call of the run: at once, or when the page of the frame is there again. */
  stop(calls: Calls): void
  /** The calls have changed. */
  proceed(calls: Calls): void
}

export function createHeroRun(stage: HeroStage): HeroRun {
  let step: HeroStep = 'idle'
  /** From `stop()` until the call has been seen. */
  let isStopping = false
  /** When the newest call was started that had ended before the run. */
  let endedBefore = 0
  /** When the call of the run was started: that tells calls of the same key apart. Undefined until it is seen. */
  let startedAt: number | undefined

  function goTo(next: HeroStep): void {
    step = next
    stage.show(next)
  }

  function ownCall(calls: Calls): ToolCallState | undefined {
    const candidates = Object.values(calls).filter((call) =>
      startedAt === undefined ? call.startedAt > endedBefore : call.startedAt === startedAt,
    )
    const [own] = candidates.toSorted((one, other) => one.startedAt - other.startedAt)
    startedAt ??= own?.startedAt
    return own
  }

  function proceed(calls: Calls): void {
    if (step === 'idle' && !isStopping) return
    const call = ownCall(calls)
    if (isStopping) {
      if (call === undefined) return
      isStopping = false
      if (call.endedAt === undefined) stage.cancel(call.callId)
      return
    }
    const next = nextStep(step, call)
    if (next === undefined) return
    goTo(next)
    if (next === 'reloaded') stage.reload()
  }

  return {
    begin(calls) {
      const ended = Object.values(calls).filter((call) => call.endedAt !== undefined)
      endedBefore = Math.max(0, ...ended.map((call) => call.startedAt))
      startedAt = undefined
      isStopping = false
      goTo('started')
    },
    stop(calls) {
      goTo('idle')
      isStopping = true
      proceed(calls)
    },
    proceed,
  }
}
