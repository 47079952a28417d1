/** What lives as long as the tab. Throws where access is forbidden. */
export function tabStorage(): Storage {
  return globalThis.sessionStorage
}
