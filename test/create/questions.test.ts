import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { openQuestions } from '../../create/src/questions.js'

vi.mock('node:readline', async (importOriginal) => {
  const readline = await importOriginal<typeof import('node:readline')>()
  const createInterface = (options: import('node:readline').ReadLineOptions) => {
    const lines = readline.createInterface(options)
    // As in Node 24.
    lines.on('close', () => {
      lines.prompt = () => {
        throw new Error('readline was closed')
      }
    })
    return lines
  }
  return { ...readline, createInterface }
})

it('takes the answers that were typed before the input ended', async () => {
  const input = new PassThrough()
  const output = new PassThrough()
  const questions = openQuestions(input, output, true)
  const first = questions.ask('Folder: ')
  input.write('one\rtwo\r\x04')
  expect(await first).toBe('one')
  expect(await questions.ask('Choose:\n  two\nName: ')).toBe('two')
  expect(String(output.read())).toMatch(/Choose:\n {2}two\nName: two\n$/)
  await expect(questions.ask('More: ')).rejects.toMatchObject({ code: 'CANCELLED' })
})
