/** A measurement that takes more CPU than this is given up, ms: all of the suite is to take minutes. */
export const GIVE_UP_MS = 30_000

/** The same where a store has to be filled before anything is measured. */
export const GIVE_UP_FILLING_MS = 240_000

/** What its process then exits with. */
export const GAVE_UP = 3
