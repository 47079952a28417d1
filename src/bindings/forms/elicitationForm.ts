import type { TaskClient } from '../../core/client/taskClient.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { DraftStorage } from './drafts.js'
import type { ElicitationField, ElicitationValue } from './elicitationFields.js'
import type { WebAddress } from './webAddress.js'
import type { ElicitationWords } from './words.js'

/** An input request, where it comes from and goes to: a `PendingInputRequest`, for instance. */
export interface ElicitationSource {
  readonly client: Pick<TaskClient, 'getToolCall' | 'getToolCallState' | 'store' | 'subscribeToolCall'>
  readonly callId: string
  readonly inputKey: string
  /** As in `call.inputRequests[inputKey]`. */
  readonly request: InputRequest
}

/** Options of {@link createElicitationForm}. They are read once, when the form is made. */
export interface ElicitationFormOptions {
  /** Texts that replace the English ones. A text that is undefined stays English. */
  words?: { readonly [Name in keyof ElicitationWords]?: ElicitationWords[Name] | undefined } | undefined
  /**
   * Keeps the user's input until the form is answered, also across a reload: in the `sessionStorage` of the tab, or in a
   * similar storage. Scripts of the page and the next user of the tab can read it there. A draft is removed when the answer
   * is accepted, and when it is no longer needed because the request was answered elsewhere, withdrawn or forgotten, also
   * after the form is unmounted. A draft from before a reload is removed only if its form is on the page when the request
   * ends, or if the user has typed into the form since the reload. Otherwise it stays until the tab is closed.
   * @default what is typed lives as long as the form
   */
  drafts?: 'session' | DraftStorage | undefined
  /** The prefix of the ids of its elements. @default a hash of the call and the key of the input request */
  id?: string | undefined
}

/** The state of a form, to be shown. Plain data; members that have not changed keep their identity. */
export interface ElicitationFormState {
  /** `form`: fields to fill in. `url`: a page to visit. `other`: no elicitation, which no form can answer. */
  readonly kind: 'form' | 'url' | 'other'
  /** The server's message. Render it as text. */
  readonly message: string
  /**
   * `open`: to be filled in. `sending`: the answer is on its way. `rejected`: the answer was not accepted, and can be sent
   * again. `accepted`, `declined`, `cancelled`: the server has the answer. `gone`: answered elsewhere, or withdrawn.
   */
  readonly status: 'open' | 'sending' | 'rejected' | 'accepted' | 'declined' | 'cancelled' | 'gone'
  /** True while the answer is sent again because the server could not be reached. */
  readonly isRetrying: boolean
  /** True if the user can answer: the status is `open` or `rejected`. */
  readonly isEditable: boolean
  /** False also if the user can only decline, because a required field cannot be shown or the address is not safe. */
  readonly canSubmit: boolean
  /** The fields in the order of the schema; none with `kind: 'url'`. */
  readonly fields: readonly ElicitationField[]
  /** With `kind: 'url'`, and an address that is safe to show as a link. */
  readonly address?: WebAddress | undefined
  /** A warning about the address, in words, to be shown before the user opens it. */
  readonly warnings: readonly string[]
  /** The state of the answer, in words, for `role="status"`. Otherwise empty. */
  readonly statusText: string
  /** A problem that belongs to no field, in words, for `role="alert"`. Empty if there is no problem. */
  readonly problem: string
}

/** The part of a submit event that {@link ElicitationForm.onSubmit} needs, whether it is the browser's or a framework's. */
export interface SubmitEventLike {
  readonly currentTarget: EventTarget | null
  preventDefault(): void
}

/** A form for an input request, for any user interface. Made by {@link createElicitationForm}. */
export interface ElicitationForm {
  /** The same object until something has changed. */
  readonly getState: () => ElicitationFormState
  /** Calls the listener when the state has changed. Returns a function that unsubscribes. */
  readonly subscribe: (listener: (state: ElicitationFormState, previous: ElicitationFormState) => void) => () => void
  /** Sets what the user has typed or chosen. A name that the form does not have changes nothing. */
  readonly set: (name: string, value: ElicitationValue) => void
  /** Chooses one of several options, or removes the choice. */
  readonly toggle: (name: string, option: string) => void
  /**
   * Checks the values and sends them. With `kind: 'url'`, it sends the user's consent to open the address, so call it when
   * they open the link. Resolves to the first invalid field, so that you can focus it by its `id`, or to undefined. Never
   * rejects: the state says what went wrong.
   */
  readonly submit: () => Promise<ElicitationField | undefined>
  /**
   * {@link submit} for the `submit` event of a `<form noValidate>`: the page stays, and the first field that is wrong has the
   * focus.
   */
  readonly onSubmit: (event: SubmitEventLike) => Promise<void>
  /** Tells the server that the user refuses. Never rejects. */
  readonly decline: () => Promise<void>
  /** Tells the server that the user has made no choice. Never rejects. */
  readonly cancel: () => Promise<void>
}
