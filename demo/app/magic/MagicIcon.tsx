export function MagicIcon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="magic-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

const PATHS = {
  reload: 'M13 8a5 5 0 1 1-1.5-3.6L13 6M13 2.5V6H9.5',
  tabs: 'M2 4.5h8v8H2zM5 4.5V2.5h9v8h-4',
  network: 'M2 6a9 9 0 0 1 12 0M4.5 8.5a5.4 5.4 0 0 1 7 0M8 12v.1M3 13 13 3',
  answer: 'M2 3.5h12v8H8L5 14v-2.5H2zM6 6l4 3.5M10 6 6 9.5',
  server: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.1M5 11h.1',
  out: 'M6 2.5H2.5v11H6M10.5 5l3 3-3 3M13 8H6',
}
