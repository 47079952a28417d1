import { TaskError } from '../../core/protocol/errors.js'

/** A message about an ended call was not delivered and will not be sent again. `cause` says why. */
export class DeliveryFailedError extends TaskError {
  override readonly name = 'DeliveryFailedError'
  /** The id of the message at the receiver, such as the `webhook-id`. */
  declare readonly deliveryId: string
  /** How many attempts were made. */
  declare readonly attempts: number

  constructor(details: { deliveryId: string; attempts: number; callId: string; cause: Error }) {
    const { attempts, cause } = details
    const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`
    super(`Failed to deliver the message about a call after ${tries}: ${cause.message}.`, details)
  }
}
