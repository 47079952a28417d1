/**
 * Keeps results of calls in IndexedDB, for longer than the server does.
 *
 * @packageDocumentation
 */
export { type KeptResultsOptions, keptResults, type ResultItems } from './tools/results/keptResults.js'
