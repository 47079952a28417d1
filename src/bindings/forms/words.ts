import type { FormProblem, FormProblemCode } from '../../core/protocol/formProblems.js'
import type { ElicitationFormOptions } from './elicitationForm.js'

/** The texts of a form that are its own. */
const TEXTS = {
  // The zone is that of the user.
  'date-time': 'Enter a date and a time.',
  sending: 'Sending…',
  retrying: 'The server cannot be reached. Trying again…',
  accepted: 'Sent.',
  declined: 'Declined.',
  cancelled: 'Closed without an answer.',
  gone: 'No answer is needed: it was given elsewhere, or the question was withdrawn.',
  unreachable: 'This cannot be answered, since the server cannot be reached.',
  marked: 'Nothing has been sent. Check the marked fields.',
  unsupported: 'This cannot be filled in here.',
  unanswerable: 'This asks for something that cannot be filled in here. You can decline.',
  tooManyFields: 'This asks for more than can be shown here. You can decline.',
  unsafeAddress: 'The address to open is not safe. You can decline.',
  userPart: 'The part before the @ may imitate another site. This address leads to the site after it.',
  unencrypted: 'This address is not encrypted. Others may read what you enter there.',
  punycode: 'This address has letters that may imitate others.',
  noForm: 'This cannot be answered by a form.',
}

/**
 * The texts of a form. The text for an invalid field has the name of the rule that it breaks: `required`, a type (`string`,
 * `number`, `integer`, `boolean`, `array`), a limit (`minLength`, `maxLength`, `minimum`, `maximum`, `minItems`, `maxItems`), a
 * format (`email`, `uri`, `date`, `date-time`) or `enum`. Texts of limits may be functions of the limit.
 */
export type ElicitationWords = Readonly<
  Record<FormProblemCode, string | ((limit: number) => string)> &
    Record<
      | 'sending'
      | 'retrying'
      | 'accepted'
      | 'declined'
      | 'cancelled'
      | 'gone'
      | 'unreachable'
      | 'marked'
      | 'unsupported'
      | 'unanswerable'
      | 'tooManyFields'
      | 'unsafeAddress'
      | 'userPart'
      | 'unencrypted'
      | 'punycode'
      | 'noForm',
      string
    > & {
      /** The text for an answer that was not accepted. @default the message of the error, in English */
      rejected: (error: Error) => string
    }
>

/** The texts of one form, in its own language where the app has it. */
export interface Words extends Omit<ElicitationWords, FormProblemCode> {
  readonly ofProblem: (problem: FormProblem) => string
}

export function createWords(own: ElicitationFormOptions['words'] = {}): Words {
  // A word that is undefined is one that the app does not have.
  const given = Object.entries(own).filter(([, text]) => text !== undefined)
  const words: typeof TEXTS & Pick<ElicitationWords, 'rejected'> & Partial<ElicitationWords> = {
    ...TEXTS,
    rejected: ({ message }: Error) => message,
    ...Object.fromEntries(given),
  }
  return {
    ...words,
    ofProblem: ({ code, message, limit = 0 }) => {
      const text = words[code] ?? message
      return typeof text === 'string' ? text : text(limit)
    },
  }
}
