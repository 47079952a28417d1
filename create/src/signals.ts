/** As shells say it: 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 }

/**
 * Ends the process at Ctrl-C and when it is told to terminate. With listeners, a signal that comes while files are written waits
 * until all of them are there.
 */
export function exitOnSignals(process: Pick<NodeJS.Process, 'exit'> & NodeJS.EventEmitter): void {
  for (const [signal, exitCode] of Object.entries(EXIT_CODES)) process.on(signal, () => process.exit(exitCode))
}
