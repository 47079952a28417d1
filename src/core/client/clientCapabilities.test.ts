import { expect, it } from 'vitest'
import { clientCapabilities } from './clientCapabilities.js'

const elicitation = { form: {}, url: {} }
const sampling = () => Promise.resolve({} as never)
const roots = () => ({ roots: [] })

it.each([
  [{}, undefined, { elicitation }],
  [{ input: { handlers: { sampling } } }, undefined, { elicitation, sampling: {} }],
  [{ input: { handlers: { roots } } }, undefined, { elicitation, roots: {} }],
  [{ input: { handlers: { sampling, roots } } }, undefined, { elicitation, sampling: {}, roots: {} }],
  [{}, { elicitation: {}, tasks: {} }, { elicitation: {}, tasks: {} }],
])('with %j and the capabilities %j a client declares %j', (options, capabilities, declared) => {
  expect(clientCapabilities<object>(options, capabilities)).toStrictEqual(declared)
})
