/** How long a test waits before it takes something for hung: how fast the machine is proves nothing. */
export const PATIENCE = { timeout: 60_000 }
