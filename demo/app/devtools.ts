/** For development: a production build has nothing of it. */
const devtools = import.meta.env.DEV ? await import('taskwire/devtools') : undefined

/** The faults that the buttons of the panel switch on. */
export const faults = devtools?.createFaultInjection()

export const mountDevtools = devtools?.mountTaskwireDevtools
