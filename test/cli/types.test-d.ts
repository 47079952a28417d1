import { describe, expectTypeOf, it } from 'vitest'
import type { Tools as Names } from './golden/names.gen.js'
import type { Tools as References } from './golden/references.gen.js'
import type { Tools, toolsHash } from './golden/reports.gen.js'
import type { Tools as Unions } from './golden/unions.gen.js'
import type { Tools as Unknowns } from './golden/unknowns.gen.js'

/** What a client takes that is typed by such a module. */
type ToolTypes = Record<string, { arguments: unknown; structuredContent?: unknown }>

describe('a module of npx taskwire types', () => {
  it('has the shape that a client takes', () => {
    expectTypeOf<Tools>().toExtend<{ [Name in keyof Tools]: ToolTypes[string] }>()
    expectTypeOf<typeof toolsHash>().toBeString()
  })

  it('types arguments: what is required, what may be left out, and nothing else', () => {
    type Arguments = Tools['make_report']['arguments']
    expectTypeOf<Arguments>().toEqualTypeOf<{ quarter: 'Q1' | 'Q2'; pages?: number; tags?: string[] }>()
    // An interface would not fit here.
    expectTypeOf<Arguments>().toExtend<Record<string, unknown>>()
    // @ts-expect-error: the quarter is missing.
    const none: Arguments = {}
    // @ts-expect-error: there is no such argument.
    const more: Arguments = { quarter: 'Q1', color: 'red' }
    expectTypeOf([none, more]).toBeArray()
    expectTypeOf<Tools['no_arguments']['arguments']>().toEqualTypeOf<Record<string, never>>()
    expectTypeOf<Tools['any_arguments']['arguments']>().toEqualTypeOf<{ [name: string]: unknown }>()
  })

  it('types what a tool returns, where it says so', () => {
    expectTypeOf<Tools['make_report']['structuredContent']>().toEqualTypeOf<{ title: string; total: number | null }>()
    expectTypeOf<'structuredContent'>().not.toExtend<keyof Tools['no_output']>()
  })

  it('follows references, also to themselves', () => {
    type Root = References['save_tree']['arguments']['root']
    expectTypeOf<NonNullable<Root['children']>[number]>().toEqualTypeOf<Root>()
    expectTypeOf<References['save_tree']['structuredContent']>().toEqualTypeOf<{ id?: number }>()
  })

  it('tells the members of a union apart', () => {
    type Shape = NonNullable<Unions['draw']['arguments']['shape']>
    expectTypeOf<Extract<Shape, { kind: 'circle' }>>().toEqualTypeOf<{ kind: 'circle'; r: number }>()
    expectTypeOf<Unions['draw']['arguments']['mixed']>().toEqualTypeOf<'a' | 1 | true | null | undefined>()
    expectTypeOf<Unions['draw']['arguments']['point']>().toEqualTypeOf<[number, number] | undefined>()
    expectTypeOf<Unions['draw']['arguments']['something']>().toBeUnknown()
    expectTypeOf<Unions['draw']['arguments']['nothing']>().toEqualTypeOf<undefined>()
  })

  it('has any name', () => {
    expectTypeOf<Names['files/read-all']['arguments']>().toEqualTypeOf<{ 'max-bytes'?: number }>()
    expectTypeOf<Names['files.read_all']['arguments']>().toEqualTypeOf<{ path?: string }>()
    expectTypeOf<Names['öl']['arguments']>().toEqualTypeOf<{ a?: string }>()
  })

  it('knows what it does not know', () => {
    expectTypeOf<Unknowns['elsewhere']['arguments']>().toBeUnknown()
    expectTypeOf<Unknowns['missing']['structuredContent']>().toBeUnknown()
  })
})
