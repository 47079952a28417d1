import { TaskError } from '../../core/protocol/errors.js'

/** A message about the end of a call was not delivered, and is not sent again. `cause` says why. */
export class DeliveryFailedError extends TaskError {
  override readonly name = 'DeliveryFailedError'
  /** The id that the receiver knows the message by, such as the `webhook-id`. */
  declare readonly deliveryId: string
  /** How often it was tried. */
  declare readonly attempts: number

  constructor(details: { deliveryId: string; attempts: number; callId: string; cause: Error }) {
    const { attempts, cause } = details
    const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`
    super(`Failed to deliver the message about a call after ${tries}: ${cause.message}.`, details)
  }
}
