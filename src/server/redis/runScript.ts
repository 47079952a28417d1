import type { RedisClient } from './redisTaskStore.js'

/** Runs a script, whose text Redis gets once. */
export type RunScript = (script: string, keys: string[], values: (string | number)[]) => Promise<unknown>

/** Names scripts by their digest, and sends the text where Redis does not know it: at first, and after a restart. */
export function createRunScript(redis: Pick<RedisClient, 'eval' | 'evalsha'>): RunScript {
  const digests = new Map<string, Promise<string>>()

  function digestOf(script: string): Promise<string> {
    const digest = digests.get(script) ?? sha1(script)
    digests.set(script, digest)
    return digest
  }

  return async (script, keys, values) => {
    const digest = await digestOf(script)
    try {
      return await redis.evalsha(digest, keys.length, ...keys, ...values)
    } catch (error) {
      // Redis has run nothing then.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return await redis.eval(script, keys.length, ...keys, ...values)
    }
  }
}

/** What Redis calls a script by. */
async function sha1(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
