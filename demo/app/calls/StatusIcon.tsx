import type { Tone } from './callStatus.js'

/** A shape for each tone, so that colour is not all that tells them apart. */
export function StatusIcon({ tone }: { tone: Tone }) {
  return (
    <svg className="status-icon" data-tone={tone} viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  )
}

const SHAPES = {
  active: (
    <>
      <circle cx="7" cy="7" r="5.25" opacity=".25" />
      <path d="M7 1.75A5.25 5.25 0 0 1 12.25 7" />
    </>
  ),
  success: (
    <>
      <circle cx="7" cy="7" r="5.25" />
      <path d="m4.6 7.2 1.7 1.7 3.2-3.6" />
    </>
  ),
  warning: (
    <>
      <path d="M7 1.9 12.4 11.6H1.6Z" />
      <path d="M7 5.6v2.6M7 9.8v.1" />
    </>
  ),
  danger: (
    <>
      <circle cx="7" cy="7" r="5.25" />
      <path d="m5.2 5.2 3.6 3.6M8.8 5.2 5.2 8.8" />
    </>
  ),
  neutral: (
    <>
      <circle cx="7" cy="7" r="5.25" />
      <path d="M4.6 7h4.8" />
    </>
  ),
} satisfies Record<Tone, React.ReactNode>
