/**
 * The devtools are for development: a production build has nothing of them. The site of the demo shows them all the same,
 * so it is built with `VITE_DEVTOOLS=true`; they are a file of their own then, which no other build has.
 */
const isWanted = import.meta.env.DEV || import.meta.env.VITE_DEVTOOLS === 'true'
const devtools = isWanted ? await import('taskwire/devtools') : undefined

/** The faults that the buttons of the panel, and those of the page, switch on. */
export const faults = devtools?.createFaultInjection()

export const mountDevtools = devtools?.mountTaskwireDevtools
