// Names what failed in a report that `vitest --reporter=json` wrote, with the first lines of each reason.
//   node scripts/failures.mjs tests.json

import { readFileSync } from 'node:fs'

const LINES = 12

/**
 * @typedef {object} FileReport
 * @property {string} name
 * @property {string} status
 * @property {string} message
 * @property {{ status: string, fullName: string, failureMessages: string[] }[]} assertionResults
 */

const indented = (/** @type {string} */ text) =>
  text
    .split('\n')
    .slice(0, LINES)
    .map((line) => `    ${line}`)
    .join('\n')

/** @type {{ testResults: FileReport[] }} */
const report = JSON.parse(readFileSync(process.argv[2] ?? 'tests.json', 'utf8'))

for (const file of report.testResults) {
  const failed = file.assertionResults.filter((test) => test.status === 'failed')

  for (const test of failed) {
    console.log(`${file.name} > ${test.fullName}\n${indented(test.failureMessages.join('\n'))}`)
  }

  // A file that could not be loaded has no tests.
  if (failed.length === 0 && file.status === 'failed') {
    console.log(`${file.name}\n${indented(file.message)}`)
  }
}
