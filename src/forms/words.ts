import { problemWords } from '../protocol/formIssues.js'
import type { FormProblem, FormProblemCode } from '../protocol/formProblems.js'

const ENGLISH = {
  dateTime: 'Enter a date and a time.',
  sending: 'Sending…',
  retrying: 'The server cannot be reached. Trying again…',
  accepted: 'Sent.',
  declined: 'Declined.',
  cancelled: 'Put off.',
  gone: 'This needs no answer any more: it was answered elsewhere, or the server has withdrawn it.',
  marked: 'Nothing was sent yet. See the fields that are marked.',
  unsupported: 'This cannot be filled in here.',
  unanswerable: 'The server asks for something that cannot be filled in here. You can decline.',
  tooManyFields: 'The server asks for more than can be shown here. You can decline.',
  unsafeAddress: 'The server wants to open an address that is not safe. You can decline.',
  unencrypted: 'This address is not encrypted. Others may read what you enter there.',
  punycode: 'This address has letters that may imitate those of another.',
  noForm: 'This cannot be answered by a form.',
} as const

/**
 * The texts of a form. Those about a field are `required`, `text`, `tooShort`, `tooLong`, `email`, `uri`, `date`,
 * `dateTime`, `number`, `integer`, `tooSmall`, `tooLarge`, `boolean`, `choice`, `choices`, `tooFew` and `tooMany`, and may be
 * functions of the limit that is not kept.
 */
export type ElicitationWords = Readonly<
  Record<FormProblemCode, string | ((limit: number) => string)> &
    Record<keyof typeof ENGLISH, string> & {
      /** Why the server has not taken the answer. @default the message of the error, in English */
      rejected: string | ((error: Error) => string)
    }
>

/** The texts of one form, in its own language where the app has it. */
export interface Words {
  of(text: keyof typeof ENGLISH): string
  ofProblem(problem: FormProblem): string
  ofError(error: Error): string
}

export function createWords(own: Partial<ElicitationWords> = {}): Words {
  return {
    of: (text) => own[text] ?? ENGLISH[text],
    ofProblem: (problem) => {
      const { code, limit = 0 } = problem
      const words = own[code] ?? (code === 'dateTime' ? ENGLISH.dateTime : problemWords(problem))
      return typeof words === 'function' ? words(limit) : words
    },
    ofError: (error) => {
      const { rejected = error.message } = own
      return typeof rejected === 'function' ? rejected(error) : rejected
    },
  }
}
