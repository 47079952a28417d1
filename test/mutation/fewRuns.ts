import fc, { type IAsyncProperty, type IProperty, type Parameters } from 'fast-check'

const RUNS = 20

/** Fast-check with few runs of each property: a mutant that no test notices runs them all, and hundreds do. */
export default {
  ...fc,
  assert: <T>(property: IProperty<T> | IAsyncProperty<T>, parameters?: Parameters<T>) =>
    fc.assert(property, { ...parameters, numRuns: RUNS }),
}
