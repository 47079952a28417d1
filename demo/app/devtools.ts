/** For development, and for the static site, which shows it off: any other production build has nothing of it. */
const devtools = import.meta.env.DEV || import.meta.env.MODE === 'site' ? await import('taskwire/devtools') : undefined

/** The faults that the buttons of the panel switch on. */
export const faults = devtools?.createFaultInjection()

export const mountDevtools = devtools?.mountTaskwireDevtools
