/** Asks the service worker to serve the pages that it does not serve yet. */
export const CLAIM = 'claim'

/** Keeps the service worker, and with it the work of its tasks, from being stopped. */
export const STAY_AWAKE = 'stay awake'
