import type { ExploreFailure } from './explore.js'

/** What went wrong, the way there, and the command that walks it again. */
export function formatFailure(name: string, { steps, breaches }: ExploreFailure): string {
  return [
    `${name}:`,
    ...breaches.map((breach) => `!! ${breach}`),
    ...steps.map((step, index) => `${String(index + 1).padStart(3)} ${step}`),
    '',
    `To walk it again: npm run universe -- --world '${name}' --play '${steps.join('; ')}'`,
  ].join('\n')
}
