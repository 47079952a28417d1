import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** 32 bytes as base64, the same in all processes: `openssl rand -base64 32`. */
const key = Buffer.from(process.env['TASK_KEY'] ?? '', 'base64')

export function seal(text: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64')
}

export function open(sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(
    'aes-256-gcm',
    key,
    bytes.subarray(0, 12),
  ).setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([
    decipher.update(bytes.subarray(28)),
    decipher.final(),
  ]).toString('utf8')
}
