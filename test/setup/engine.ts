import type { TestProject } from 'vitest/node'
import { whyMissing } from '../browser/engines/whyMissing.js'

/** Says in one line which engine the tests of a project miss. */
export default function setup({ config }: TestProject): void {
  const { engine } = config.provide
  const missing = engine && whyMissing(engine)
  if (missing !== undefined) console.log(missing)
}
