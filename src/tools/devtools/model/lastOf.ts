/** The last item that is what is looked for: `findLast`, which browsers of 2022 lack. */
export function lastOf<T>(items: readonly T[], is: (item: T) => boolean): T | undefined {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]
    if (item !== undefined && is(item)) return item
  }
  return undefined
}
