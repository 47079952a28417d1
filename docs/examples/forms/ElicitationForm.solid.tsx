/** @jsxImportSource solid-js */
import { createSignal, For, Match, onCleanup, Show, Switch } from 'solid-js'
import { createStore, reconcile } from 'solid-js/store'
import {
  createElicitationForm,
  type ElicitationField,
  type ElicitationForm,
  type ElicitationSource,
} from 'taskwire/forms'

/** The server as your users know it. The name that it gives itself proves nothing. */
const SERVER = 'Reports (example.com)'

/** The form of an input request, or the page that it wants the user to visit. Each input request needs one of its own. */
export function ElicitationView(props: { pending: ElicitationSource }) {
  const form = createElicitationForm(props.pending, { drafts: 'session' })
  const [state, setState] = createSignal(form.getState())
  // Fields that stay the same elements while their values change.
  const [fields, setFields] = createStore([...state().fields])
  onCleanup(
    form.subscribe((next) => {
      setState(next)
      setFields(reconcile([...next.fields], { key: 'name' }))
    }),
  )
  return (
    <form noValidate onSubmit={form.onSubmit}>
      <fieldset disabled={!state().isEditable}>
        <legend>{SERVER} asks</legend>
        <p>{state().message}</p>
        <For each={fields}>{(field) => <Field field={field} form={form} />}</For>
        <Show when={state().address}>
          {(address) => (
            <a href={address().href} target="_blank" rel="noopener noreferrer" onClick={form.submit}>
              {address().before}
              <strong>{address().host}</strong>
              {address().after}
            </a>
          )}
        </Show>
        <For each={state().warnings}>{(warning) => <p>{warning}</p>}</For>
        <Show when={state().kind === 'form'}>
          <button type="submit" disabled={!state().canSubmit}>
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
      <p role="alert">{state().problem}</p>
      <p role="status">{state().statusText}</p>
    </form>
  )
}

function Field(props: { field: ElicitationField; form: ElicitationForm }) {
  const field = () => props.field
  const label = () => (field().isRequired || field().kind === 'boolean' ? field().label : `${field().label} (optional)`)
  const set = (value: string | boolean) => props.form.set(field().name, value)
  const options = () => {
    const { field } = props
    return field.kind === 'choice' || field.kind === 'choices' ? field.options : []
  }
  const notes = () => (
    <>
      <Show when={field().description}>
        <p id={field().hintId}>{field().description}</p>
      </Show>
      <Show when={field().error}>
        <p id={field().errorId}>{field().error}</p>
      </Show>
    </>
  )
  return (
    <Switch
      fallback={
        <div>
          <label for={field().id}>{label()}</label>
          <Switch
            fallback={
              <input
                {...field().attributes}
                id={field().id}
                value={String(field().value)}
                onInput={(event) => set(event.currentTarget.value)}
              />
            }
          >
            <Match when={field().kind === 'unsupported'}>{null}</Match>
            <Match when={field().kind === 'boolean'}>
              <input
                {...field().attributes}
                id={field().id}
                checked={field().value === true}
                onChange={(event) => set(event.currentTarget.checked)}
              />
            </Match>
            <Match when={field().kind === 'choice'}>
              <select {...field().attributes} id={field().id} onChange={(event) => set(event.currentTarget.value)}>
                <option value="">Choose…</option>
                <For each={options()}>
                  {(option) => (
                    <option value={option.value} selected={option.isChosen}>
                      {option.label}
                    </option>
                  )}
                </For>
              </select>
            </Match>
          </Switch>
          {notes()}
        </div>
      }
    >
      <Match when={field().kind === 'choices'}>
        <fieldset>
          <legend>{label()}</legend>
          <For each={options()}>
            {(option) => (
              <label>
                <input
                  {...field().attributes}
                  id={option.id}
                  value={option.value}
                  checked={option.isChosen}
                  onChange={() => props.form.toggle(field().name, option.value)}
                />{' '}
                {option.label}
              </label>
            )}
          </For>
          {notes()}
        </fieldset>
      </Match>
    </Switch>
  )
}
