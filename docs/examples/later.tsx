import { lazy, Suspense } from 'react'

const Widget = lazy(async () => {
  const { Widget } = await import('./Widget')
  return { default: Widget }
})

export default function App() {
  return (
    <Suspense fallback={<p>Loading…</p>}>
      <Widget />
    </Suspense>
  )
}
