/** The address that a server asks to visit, where it is one of the web: a `javascript:` address would run here. */
export function webAddress(url: string): URL | undefined {
  if (!URL.canParse(url)) return undefined
  const address = new URL(url)
  return address.protocol === 'https:' || address.protocol === 'http:' ? address : undefined
}
