import { type TestContext, test as vitestTest } from 'vitest'
import { engineName } from './launchEngine.js'
import { whyLeftOut } from './leftOut.js'
import { whyMissing } from './whyMissing.js'

const isMissing = whyMissing(engineName) !== undefined

/** A test that runs in the engine of this project, where it is there and can do what the test needs. */
export function test(name: string, body: (context: TestContext) => Promise<void>): void {
  vitestTest.skipIf(isMissing || whyLeftOut(name, engineName) !== undefined)(name, body)
}
