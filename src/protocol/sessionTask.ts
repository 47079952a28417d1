/** What the id of a task begins with that a server of 2025-11-25 may keep for one session only: the id says which. */
export const SESSION_PREFIX = 'session:'
