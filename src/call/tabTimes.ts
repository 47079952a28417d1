/** How long a poll of another tab may be overdue before this tab takes over: that one was closed, or is frozen. */
export const LEADER_TIMEOUT_MS = 1000

/** How long messages may take to arrive: after this tab has joined, and after it has slept. */
export const MESSAGE_DELAY_MS = 100
