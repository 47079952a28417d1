import type { ToolCallState } from 'taskwire'
import { callStatus } from './callStatus.js'
import { StatusIcon } from './StatusIcon.js'

/** What a call is at; in short, what its icon says well enough is for those alone who do not see it. */
export function CallStatusLabel({ call, isShort = false }: { call: ToolCallState; isShort?: boolean }) {
  const { label, tone } = callStatus(call)
  return (
    <span className="status" data-tone={tone}>
      <StatusIcon tone={tone} />
      <span className={isShort && (tone === 'active' || tone === 'neutral') ? 'visually-hidden' : undefined}>
        {label}
      </span>
    </span>
  )
}
