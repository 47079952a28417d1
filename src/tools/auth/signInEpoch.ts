import type { StoredOAuthTokens } from '@modelcontextprotocol/client'
import { authorizationFailed } from '../../sdk/signIn/authorizationFailed.js'
import type { SignInStore } from './signInStore.js'

/**
 * The time between two sign-outs, named by a random id beside the tokens, so that all tabs that share the tokens share it.
 * Undefined before the first sign-out.
 */
export type Epoch = string | undefined

/** Tokens, with a random id of the sign-in that has brought them. What they are refreshed to is of the same one. */
export interface SignInTokens extends StoredOAuthTokens {
  readonly signIn?: string
}

/**
 * Tokens, each with the epoch of the sign-in that brought them. A sign-out begins a new epoch: what a refresh or an exchange
 * of a code brings afterwards, here or in another tab, belongs to an older one and is dropped.
 *
 * ```text
 * tab A  epoch 1 ─ refresh ─────────────── new tokens, of epoch 1: dropped
 * tab B  ················ signOut, epoch 2
 * ```
 */
export interface EpochTokens {
  current(): Epoch
  /** The tokens of the current epoch. */
  read(): SignInTokens | undefined
  /** @throws {AuthorizationFailedError} if the user has signed out since the epoch. */
  write(tokens: SignInTokens, epoch: Epoch): void
  remove(): void
  /** @throws {AuthorizationFailedError} if the user has signed out since the epoch. */
  check(epoch: Epoch): void
  /** Begins a new epoch, without tokens. */
  signOut(): void
}

export function createEpochTokens(kept: SignInStore, randomId: () => string): EpochTokens {
  const current = (): Epoch => kept.read<string>('epoch')
  const remove = () => kept.remove('tokens')

  function check(epoch: Epoch): void {
    if (epoch !== current()) throw authorizationFailed('signed-out')
  }

  return {
    current,
    read: () => {
      const { epoch, ...tokens } = kept.read<SignInTokens & { epoch?: string }>('tokens') ?? {}
      if (!('access_token' in tokens)) return undefined
      if (epoch === current()) return tokens
      // Another tab wrote them while this one, or a third, signed out.
      remove()
      return undefined
    },
    write: (tokens, epoch) => {
      check(epoch)
      kept.write('tokens', { ...tokens, epoch })
    },
    remove,
    check,
    signOut: () => {
      kept.write('epoch', randomId())
      remove()
    },
  }
}
