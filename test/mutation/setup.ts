import { afterAll, beforeEach, inject } from 'vitest'
import { leftOut } from './rooms.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The name of the global object by which StrykerJS says which mutant is active; undefined where nothing is mutated. */
    globalNamespace?: string
  }
}

beforeEach(({ task, skip }) => skip(leftOut.some((words) => task.name.includes(words))))

// The thread lives on: while the tests of the next mutant are collected, this one must be active no more.
afterAll(() => {
  const name = inject('globalNamespace')
  const state: unknown = name === undefined ? undefined : Reflect.get(globalThis, name)
  if (typeof state === 'object' && state !== null) Reflect.deleteProperty(state, 'activeMutant')
})
