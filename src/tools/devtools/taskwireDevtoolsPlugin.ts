import type { TaskwireDevtoolsOptions } from './devtoolsOptions.js'
import type { ObservedClient } from './model/devtoolsModel.js'
import { mountTaskwireDevtools, type TaskwireDevtools } from './mountTaskwireDevtools.js'

/** A plugin for TanStack Devtools. */
export interface TaskwireDevtoolsPlugin {
  readonly id: string
  readonly name: string
  /**
   * Renders the panel. Called again when the theme changes. Later versions of TanStack Devtools pass the theme as a
   * property. TanStack Devtools for React, Preact and Solid expect an element as the return value, those for other
   * frameworks nothing: the type `never` fits all of them.
   */
  readonly render: (element: HTMLElement, theme: 'light' | 'dark' | { readonly theme: 'light' | 'dark' }) => never
  destroy(): void
}

/**
 * The devtools panel as a tab of TanStack Devtools.
 *
 * @example
 * ```tsx
 * <TanStackDevtools plugins={[taskwireDevtoolsPlugin(client)]} />
 * ```
 */
export function taskwireDevtoolsPlugin(
  clients: ObservedClient | readonly ObservedClient[],
  options: Pick<TaskwireDevtoolsOptions, 'faults' | 'storage'> = {},
): TaskwireDevtoolsPlugin {
  let mounted: { readonly target: HTMLElement; readonly devtools: TaskwireDevtools } | undefined

  function destroy(): void {
    mounted?.devtools.unmount()
    mounted = undefined
  }

  function render(target: HTMLElement, given: 'light' | 'dark' | { readonly theme: 'light' | 'dark' }): void {
    const theme = typeof given === 'string' ? given : given.theme
    if (mounted?.target === target && target.hasChildNodes()) return mounted.devtools.setTheme(theme)
    destroy()
    mounted = { target, devtools: mountTaskwireDevtools(clients, { ...options, target, theme }) }
  }

  return { id: 'taskwire', name: 'Taskwire', render: render as TaskwireDevtoolsPlugin['render'], destroy }
}
