import type { View } from './element.js'

/**
 * Returns a function that shows rows as children of an element: one view for each key, which is updated, moved and
 * removed, never created again.
 */
export function keyedList<Row>(
  parent: Element,
  keyOf: (row: Row) => string,
  create: (row: Row) => View<Row>,
): (rows: readonly Row[]) => void {
  const views = new Map<string, View<Row>>()
  return (rows) => {
    const wanted = new Set(rows.map(keyOf))
    for (const [key, view] of views) {
      if (wanted.has(key)) continue
      view.element.remove()
      views.delete(key)
    }
    let place = parent.firstElementChild
    for (const row of rows) {
      const key = keyOf(row)
      const view = views.get(key) ?? create(row)
      views.set(key, view)
      view.update(row)
      if (view.element === place) place = place.nextElementSibling
      else parent.insertBefore(view.element, place)
    }
  }
}
