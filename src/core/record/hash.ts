/**
 * A short name for a text, 106 bits in hex: for storage keys and call ids, where two texts must not
 * meet by accident. It keeps nothing secret. Synchronous, which `crypto.subtle` is not, because a
 * record has to be written before anything else happens. The mixing is that of cyrb53 (public domain).
 */
export function hash(text: string): string {
  return mix(text, 0) + mix(text, 1)
}

function mix(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed
  let low = 0x41c6ce57 ^ seed
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0')
}
