import { webcrypto } from 'node:crypto'
import type { Received } from './receiver.js'

const { subtle } = webcrypto
const EC = { name: 'ECDH', namedCurve: 'P-256' }

export interface Browser {
  /** What `pushManager.subscribe()` returns, as JSON. */
  readonly subscription: {
    readonly endpoint: string
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }
  /** Decrypts a message as browsers do, by RFC 8291. It rejects for a message that is for another browser. */
  decrypt(body: Buffer): Promise<unknown>
}

/** A browser with the keys of a subscription. */
export async function subscribe(endpoint: string): Promise<Browser> {
  const { publicKey, privateKey } = await subtle.generateKey(EC, false, ['deriveBits'])
  const own = Buffer.from(await subtle.exportKey('raw', publicKey))
  const auth = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)))
  const keys = { p256dh: own.toString('base64url'), auth: auth.toString('base64url') }

  async function decrypt(message: Buffer): Promise<unknown> {
    const body = Buffer.from(message)
    // RFC 8188: salt, size of records, the length of the sender's key, and the key.
    const [salt, idLength] = [body.subarray(0, 16), body.readUInt8(20)]
    const theirs = body.subarray(21, 21 + idLength)
    const theirKey = await subtle.importKey('raw', theirs, EC, false, [])
    const secret = await subtle.deriveBits({ name: 'ECDH', public: theirKey }, privateKey, 256)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, theirs])
    const material = await derive(auth, secret, info, 256)
    const key = await derive(salt, material, Buffer.from('Content-Encoding: aes128gcm\0'), 128)
    const iv = await derive(salt, material, Buffer.from('Content-Encoding: nonce\0'), 96)
    const aes = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
    const plain = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, aes, body.subarray(21 + idLength)))
    // The last record ends with a 2, and zeros after it.
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString())
  }

  return { subscription: { endpoint, keys }, decrypt }
}

/** Checks who has sent a message, as push services do, by RFC 8292: rejects for a signature of another key. */
export async function verifyVapid({ headers }: Received): Promise<{ readonly key: string; readonly claims: unknown }> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const publicKey = await subtle.importKey('raw', Buffer.from(key, 'base64url'), algorithm, false, ['verify'])
  const isRight = await subtle.verify(
    { name: 'ECDSA', hash: 'SHA-256' },
    publicKey,
    Buffer.from(signature, 'base64url'),
    Buffer.from(`${head}.${claims}`),
  )
  if (!isRight) throw new Error('the signature is of another key')
  return { key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) }
}

async function derive(
  salt: BufferSource,
  secret: BufferSource,
  info: BufferSource,
  bits: number,
): Promise<ArrayBuffer> {
  const material = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  return subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, material, bits)
}
