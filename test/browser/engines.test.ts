import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LEFT_OUT, whyLeftOut } from './engines/leftOut.js'
import { whyMissing } from './engines/whyMissing.js'

const tests = ['demo', 'durability', 'magic', 'questions']
  .map((name) => readFileSync(`test/browser/${name}.test.ts`, 'utf8'))
  .join()

test('each test that is left out in an engine is there', () => {
  for (const { test: name } of LEFT_OUT) expect(tests).toContain(`test('${name}`)
})

test('a test is left out where its engine cannot do it, and nowhere else', () => {
  const name = '[DUR-45] a tab in front takes over from a hidden one'
  expect(whyLeftOut(name, 'webkit')).toMatch(/cannot bring them to the front/)
  expect(whyLeftOut(name, 'firefox')).toBeUndefined()
  for (const one of LEFT_OUT) expect(whyLeftOut(one.test, 'chromium')).toBeUndefined()
})

test('an engine that is not installed is one line that says how to get it', () => {
  expect(whyMissing('firefox', { PATH: '' })).toMatch(/^Firefox is left out: [^\n]+firefox-esr[^\n]+$/)
  expect(whyMissing('webkit', { PATH: '' })).toMatch(/^WebKit is left out: [^\n]+webkit2gtk-driver xvfb[^\n]+$/)
  expect(whyMissing('firefox', { PATH: '', FIREFOX_PATH: process.execPath })).toBeUndefined()
  expect(whyMissing('chromium', { PATH: '' })).toBeUndefined()
})
