import type { TaskwireDevtoolsOptions } from './devtoolsOptions.js'
import type { ObservedClient } from './model/devtoolsModel.js'
import { mountTaskwireDevtools, type TaskwireDevtools } from './mountTaskwireDevtools.js'

type Theme = 'light' | 'dark'

/** What TanStack Devtools takes as a plugin. */
export interface TaskwireDevtoolsPlugin {
  readonly id: string
  readonly name: string
  /** Called again when the theme changes. Later versions of TanStack Devtools pass it as a property. */
  render(element: HTMLElement, theme: Theme | { readonly theme: Theme }): void
  destroy(): void
}

/**
 * The same panel as a tab of TanStack Devtools.
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

  return {
    id: 'taskwire',
    name: 'Taskwire',
    render: (target, given) => {
      const theme = typeof given === 'string' ? given : given.theme
      if (mounted?.target === target && target.hasChildNodes()) return mounted.devtools.setTheme(theme)
      destroy()
      mounted = { target, devtools: mountTaskwireDevtools(clients, { ...options, target, theme }) }
    },
    destroy,
  }
}
