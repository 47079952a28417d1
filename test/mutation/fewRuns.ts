import fc, { type IAsyncProperty, type IProperty, type Parameters } from 'fast-check'

const RUNS = 20

/** Fast-check with few runs of each property: a mutant that no test notices runs them all, and hundreds do. */
export function assert<T>(property: IProperty<T> | IAsyncProperty<T>, parameters?: Parameters<T>) {
  return fc.assert(property, { ...parameters, numRuns: RUNS })
}

export * from 'fast-check'
export default { ...fc, assert }
