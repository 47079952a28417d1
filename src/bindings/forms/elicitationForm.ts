import type { TaskClient } from '../../core/client/taskClient.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { DraftStorage } from './drafts.js'
import type { ElicitationField, ElicitationValue } from './elicitationFields.js'
import type { WebAddress } from './webAddress.js'
import type { ElicitationWords } from './words.js'

/** An input request with its call and its client, such as a `PendingInputRequest`. */
export interface ElicitationSource {
  readonly client: Pick<TaskClient, 'getToolCall' | 'getToolCallState' | 'store' | 'subscribeToolCall'>
  readonly callId: string
  readonly inputKey: string
  /** As in `call.inputRequests[inputKey]`. */
  readonly request: InputRequest
}

/** Options of {@link createElicitationForm}, which reads them once. */
export interface ElicitationFormOptions {
  /** Texts that replace the English ones. A text that is undefined stays English. */
  words?: { readonly [Name in keyof ElicitationWords]?: ElicitationWords[Name] | undefined } | undefined
  /**
   * Keeps the user's input across reloads until the form is answered: in the `sessionStorage` of the tab, or in a similar
   * storage. Scripts of the page and the next user of the tab can read this draft. The draft is removed when the server has
   * accepted the answer, and when the request was answered elsewhere, withdrawn or forgotten, even after the form is
   * unmounted. A draft from before a reload is removed only if its form is on the page when the request ends, or if the
   * user has typed into the form since the reload. Otherwise it stays until the tab is closed.
   * @default no drafts: the input lasts as long as the form
   */
  drafts?: 'session' | DraftStorage | undefined
  /** The prefix of the ids of its elements. @default a hash of the call and the key of the input request */
  id?: string | undefined
}

/** The state of a form, to be shown. Plain data; members that have not changed keep their identity. */
export interface ElicitationFormState {
  /**
   * `form`: fields to fill in. `url`: a page to visit. `other`: the request is not an elicitation, and a form cannot answer
   * it.
   */
  readonly kind: 'form' | 'url' | 'other'
  /** The server's message. Render it as text. */
  readonly message: string
  /**
   * `open`: the user can fill in the form. `sending`: the answer is on its way. `rejected`: the answer was not accepted;
   * the user can send it again. `accepted`, `declined`, `cancelled`: the server has the answer. `gone`: the request was
   * answered elsewhere, or withdrawn, or the call has ended, as with a `TaskUnreachableError`. `statusText` tells that one apart.
   */
  readonly status: 'open' | 'sending' | 'rejected' | 'accepted' | 'declined' | 'cancelled' | 'gone'
  /** True while the answer is sent again because the server could not be reached. */
  readonly isRetrying: boolean
  /** True if the user can answer: the status is `open` or `rejected`. */
  readonly isEditable: boolean
  /**
   * True if the user can submit the form. False with `kind: 'url'`, which the user answers by opening the address, and if the
   * user can only decline because a required field cannot be shown.
   */
  readonly canSubmit: boolean
  /** The fields in the order of the schema; none with `kind: 'url'`. */
  readonly fields: readonly ElicitationField[]
  /** The page to visit. Present with `kind: 'url'`, if the address is safe to show as a link. */
  readonly address?: WebAddress | undefined
  /** A warning about the address, in words, to be shown before the user opens it. */
  readonly warnings: readonly string[]
  /** The state of the answer, in words, for `role="status"`. Empty if there is nothing to say. */
  readonly statusText: string
  /** A problem of the form as a whole, in words, for `role="alert"`. Empty if there is no problem. */
  readonly problem: string
}

/** The part of a submit event, of the browser or of a framework, that {@link ElicitationForm.onSubmit} needs. */
export interface SubmitEventLike {
  readonly currentTarget: EventTarget | null
  preventDefault(): void
}

/** A form for an input request, for any user interface. Made by {@link createElicitationForm}. */
export interface ElicitationForm {
  /** Returns the state: the same object until something changes. */
  readonly getState: () => ElicitationFormState
  /** Calls the listener when the state has changed. Returns a function that unsubscribes. */
  readonly subscribe: (listener: (state: ElicitationFormState, previous: ElicitationFormState) => void) => () => void
  /** Sets what the user has typed or chosen. A name that the form does not have changes nothing. */
  readonly set: (name: string, value: ElicitationValue) => void
  /** Chooses one of several options, or removes the choice. */
  readonly toggle: (name: string, option: string) => void
  /**
   * Checks the values and sends them. With `kind: 'url'`, it sends the user's consent to open the address: {@link onOpen} does so when
   * they open the link. Resolves to the first invalid field, so that you can focus it by its `id`, or to undefined. Never
   * rejects: the state shows problems.
   */
  readonly submit: () => Promise<ElicitationField | undefined>
  /**
   * Handles the `submit` event of a `<form noValidate>`: prevents navigation, calls {@link submit}, and focuses the first
   * invalid field.
   */
  readonly onSubmit: (event: SubmitEventLike) => Promise<void>
  /**
   * Handles the `click` and `auxclick` events of the link to the address: sends the user's consent. A click of the middle button opens the
   * page, too, and is an `auxclick`; those of other buttons open a menu or go back, and send nothing.
   */
  readonly onOpen: (event: { readonly button: number }) => Promise<void>
  /** Tells the server that the user refuses. Never rejects. */
  readonly decline: () => Promise<void>
  /** Tells the server that the user has made no choice. Never rejects. */
  readonly cancel: () => Promise<void>
}
