import { sha256 } from './sha256.js'

/** SHA-256 of a text, as base64url: 43 characters. */
export function digest(text: string): string {
  return toBase64Url(sha256(text))
}

/** Base64 of characters that any header and URL can hold. */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
