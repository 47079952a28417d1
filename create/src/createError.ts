/** Why no app was created. */
export type CreateErrorCode = 'CANCELLED' | 'FOLDER' | 'NAME' | 'USAGE' | 'WRITE'

/** No app was created; the message says to a person why, and what to do. */
export class CreateError extends Error {
  override readonly name = 'CreateError'
  readonly code: CreateErrorCode

  constructor(code: CreateErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Of the process: 2 for arguments that are to be changed, 130 as after any Ctrl-C. */
  get exitCode(): number {
    if (this.code === 'CANCELLED') return 130
    return this.code === 'USAGE' || this.code === 'NAME' ? 2 : 1
  }
}
