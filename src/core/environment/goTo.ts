/** Leaves the page for another. */
export function goTo(url: URL): void {
  globalThis.location.assign(url)
}
