/** A measurement that takes more CPU than this is given up, ms: all of the suite is to take minutes. */
export const GIVE_UP_MS = 30_000

/** What its process then exits with. */
export const GAVE_UP = 3
