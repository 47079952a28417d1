/** The version of this package, as it introduces itself to servers. */
export const VERSION = '0.1.0'
