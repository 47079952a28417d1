import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Elicit, ElicitContent, ElicitParams } from './elicit.js'

declare const elicit: Elicit
const message = 'Whose?'

test('the content of a form is what its Standard Schema makes of it, and is there where the form was accepted', async () => {
  const requestedSchema = z.object({ name: z.string(), pages: z.number().default(1) })
  const response = await elicit({ message, requestedSchema })
  expectTypeOf(response.action).toEqualTypeOf<'accept' | 'decline' | 'cancel'>()
  if (response.action === 'accept') {
    expectTypeOf(response.content).toEqualTypeOf<{ name: string; pages: number }>()
  } else {
    expectTypeOf(response.content).toEqualTypeOf<undefined>()
  }
  // @ts-expect-error the user may have declined
  void response.content.name
})

test('the content of a form by JSON Schema is what forms can hold', async () => {
  const name = { type: 'string' } as const
  const response = await elicit({ message, requestedSchema: { type: 'object', properties: { name } } })
  if (response.action === 'accept') expectTypeOf(response.content).toEqualTypeOf<ElicitContent>()
})

test('a page to visit has no content', async () => {
  const response = await elicit({ mode: 'url', message, url: 'https://a.example' })
  expectTypeOf(response.content).toEqualTypeOf<undefined>()
})

test('params that are not known until the tool runs have the content of either', async () => {
  const params = {} as ElicitParams
  const response = await elicit(params)
  if (response.action === 'accept') expectTypeOf(response.content).toEqualTypeOf<ElicitContent | undefined>()
})

test('mistakes do not compile', () => {
  // @ts-expect-error a form has fields
  void elicit({ message })
  // @ts-expect-error a page has an address
  void elicit({ mode: 'url', message })
  // @ts-expect-error a user has to know the question
  void elicit({ requestedSchema: z.object({}) })
})
