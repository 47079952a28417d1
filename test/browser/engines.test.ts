import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { LEFT_OUT, whyLeftOut } from './engines/leftOut.js'
import { startProgram } from './engines/program.js'
import { startScreen } from './engines/screen.js'
import { openSession } from './engines/webkitEngine.js'
import { findWebKit, whyMissing } from './engines/whyMissing.js'

const tests = ['demo', 'durability', 'magic.weekly', 'questions', 'replay']
  .map((name) => readFileSync(`test/browser/${name}.test.ts`, 'utf8'))
  .join()

test('each test that is left out in an engine is there', () => {
  for (const { test: name } of LEFT_OUT) expect(tests).toContain(`test('${name}`)
})

test('a test is left out where a line says why, and nowhere else', () => {
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

test('what a program never does is an error with what the program has said', async ({ onTestFinished }) => {
  const script = 'echo "cannot open display: :9" >&2; echo started >&3; exec sleep 600'
  const program = startProgram('/bin/sh', ['-c', script], { hasOutput: true, patienceMs: 200 })
  onTestFinished(program.end)
  await once(program.output as Readable, 'data')
  await expect(program.whileItRuns('open a session', new Promise(() => {}))).rejects.toThrow(
    'Failed to open a session: 200 ms are over. cannot open display: :9',
  )
})

test('a session of WebKit whose driver ends, or cannot be started, is an error that says so', async () => {
  await expect(openSession('/bin/false', {})).rejects.toThrow(
    'Failed to open a session of WebKit: /bin/false has ended. It has said nothing.',
  )
  await expect(openSession('/bin/nowhere', {})).rejects.toThrow('/bin/nowhere cannot be started')
})

/** What a screen says first to a program that wants to open a window: 1 if it may. */
function greetingOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    // Version 11, in bytes of which the lowest comes first.
    socket.write(Uint8Array.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
    socket.once('data', ([first]: Buffer) => {
      resolve(first)
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

const { xvfb } = findWebKit() ?? {}

test.skipIf(xvfb === undefined)('a screen takes the next window the moment the last one is gone', async ({ skip }) => {
  const screen = await startScreen(xvfb ?? '')
  try {
    const path = `/tmp/.X11-unix/X${screen.display.slice(1)}`
    skip(!existsSync(path), 'Nobody but root may make the folder of the screen.')
    for (let windows = 0; windows < 100; windows += 1) expect(await greetingOf(path)).toBe(1)
  } finally {
    await screen.end()
  }
})
