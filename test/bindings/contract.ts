import { describe, expect, it } from 'vitest'
import { clientKind } from '../support/anyClient.js'
import type { Binding } from './binding.js'
import { forgetting } from './forgetting.js'
import { forms } from './forms.js'
import { expectAdvice, lists } from './lists.js'
import { madeAgain } from './madeAgain.js'
import { mutations } from './mutations.js'
import { queries } from './queries.js'
import { unknownOptions } from './unknownOptions.js'
import { createWorld } from './world.js'

/** Everything that a binding promises. The table is the same for each, so that none lags behind. */
export function describeBinding(binding: Binding): void {
  describe(`the binding for ${binding.name}`, () => {
    const all = [...queries, ...madeAgain, ...mutations, ...lists, ...forms, ...forgetting, ...unknownOptions]
    it.each(clientKind === 'bridge' ? all.filter(({ notOverBridge }) => notOverBridge === undefined) : all)(
      '$name',
      async (behaviour) => {
        const world = createWorld(binding, behaviour)
        try {
          await behaviour.run(world)
        } finally {
          await world.close()
        }
      },
    )

    it('says how to provide a client where there is none', () => {
      expectAdvice(binding)
      expect.hasAssertions()
    })
  })
}
