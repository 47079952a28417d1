import type { Environment } from '../../core/environment/environment.js'
import type { Position } from '../wire/messages.js'
import type { Refusal } from './requests.js'

/** A stream without a sign of life for this long is over, in ms: a backend shows one every 15 s. */
export const SILENCE_MS = 45_000

/** One stream of changes, for a carrier to deliver. */
export interface CarriedNews {
  readonly environment: Environment
  readonly fetch: Environment['fetch']
  readonly url: () => URL
  /** The position of the last change that this page has; undefined to request everything. */
  readonly position: Position | undefined
  /** Aborted when the stream is over. The page or the carrier may abort it. */
  readonly abort: AbortController
  readonly onMessage: (message: unknown) => void
  /** Called with each sign of life that is no message. */
  readonly onAlive: () => void
}

/** The connection that brings changes from the backend to the page. Made by `webSocket`. */
export interface BridgeCarrier {
  /** Opens a stream. Resolves when the stream ends, with the reason if the backend has refused it. */
  carry(news: CarriedNews): Promise<Refusal | undefined>
}

/** The position from which a stream continues, in the format of `Last-Event-ID`. */
export const positionText = ({ epoch, seq }: Position): string => `${epoch}:${seq}`
