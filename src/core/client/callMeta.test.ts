import { describe, expect, it } from 'vitest'
import { createCallMetas } from './callMeta.js'

const CALL = { callId: 'c1', name: 'report' }

describe('what is added to the request of a call', () => {
  it('is nothing, not even an empty object, where the app adds nothing', () => {
    const metas = createCallMetas((call) => call())
    expect(metas.prepare(CALL)).toBeUndefined()
    const remove = metas.add(({ name }) => () => ({ 'com.example/tool': name }))
    expect(metas.prepare(CALL)?.()).toEqual({ 'com.example/tool': 'report' })
    remove()
    expect(metas.prepare(CALL)).toBeUndefined()
  })
})
