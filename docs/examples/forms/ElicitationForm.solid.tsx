/** @jsxImportSource solid-js */
import { For, Match, Show, Switch } from 'solid-js'
import type { ElicitationSource } from 'taskwire/forms'
import {
  type UseElicitationFormResult,
  useElicitationForm,
} from 'taskwire/solid'

/**
 * The server as your users know it. The name that it gives itself proves
 * nothing.
 */
const SERVER = 'Reports (example.com)'

/**
 * The form of an input request, or the page that it wants the user to visit.
 * Show requests with `<For>`.
 */
export function ElicitationForm(props: { pending: ElicitationSource }) {
  const form = useElicitationForm(() => props.pending, { drafts: 'session' })
  return (
    <form noValidate onSubmit={form.onSubmit}>
      <fieldset disabled={!form.isEditable}>
        <legend>{SERVER} asks</legend>
        <p>{form.message}</p>
        <For each={form.fields}>
          {(field) => <Field field={field} form={form} />}
        </For>
        <Show when={form.address}>
          {(address) => (
            <a
              href={address().href}
              target="_blank"
              rel="noopener noreferrer"
              onClick={form.onOpen}
              onAuxClick={form.onOpen}
            >
              {address().before}
              <strong>{address().host}</strong>
              {address().after}
            </a>
          )}
        </Show>
        <For each={form.warnings}>{(warning) => <p>{warning}</p>}</For>
        <Show when={form.kind === 'form'}>
          <button type="submit" disabled={!form.canSubmit}>
            Submit
          </button>
        </Show>
        <button type="button" onClick={form.decline}>
          Decline
        </button>
        <button type="button" onClick={form.cancel}>
          Not now
        </button>
      </fieldset>
      <p role="alert">{form.problem}</p>
      <p role="status">{form.statusText}</p>
    </form>
  )
}

interface FieldProps {
  field: UseElicitationFormResult['fields'][number]
  form: UseElicitationFormResult
}

function Field(props: FieldProps) {
  const { form, field } = props
  const label = () =>
    field.isRequired || field.kind === 'boolean'
      ? field.label
      : `${field.label} (optional)`
  const notes = () => (
    <>
      <Show when={field.description}>
        <p id={field.hintId}>{field.description}</p>
      </Show>
      <Show when={field.error}>
        <p id={field.errorId}>{field.error}</p>
      </Show>
    </>
  )
  return (
    <Switch
      fallback={
        <div>
          <label for={field.id}>{label()}</label>
          <Switch>
            <Match when={field.kind === 'choice' && field}>
              {(choice) => (
                <select {...form.inputProps(choice())}>
                  <option value="">Choose…</option>
                  <For each={choice().options}>
                    {(option) => (
                      <option value={option.value} selected={option.isChosen}>
                        {option.label}
                      </option>
                    )}
                  </For>
                </select>
              )}
            </Match>
            <Match
              when={
                (field.kind === 'text' ||
                  field.kind === 'number' ||
                  field.kind === 'boolean') &&
                field
              }
            >
              {(input) => <input {...form.inputProps(input())} />}
            </Match>
          </Switch>
          {notes()}
        </div>
      }
    >
      <Match when={field.kind === 'choices' && field}>
        {(choices) => (
          <fieldset>
            <legend>{label()}</legend>
            <For each={choices().options}>
              {(option) => (
                <label>
                  <input {...form.optionProps(choices(), option)} />{' '}
                  {option.label}
                </label>
              )}
            </For>
            {notes()}
          </fieldset>
        )}
      </Match>
    </Switch>
  )
}
