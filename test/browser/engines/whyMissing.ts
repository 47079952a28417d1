import type { EngineName } from './engine.js'
import { installed } from './executables.js'

/** Where WebKit's driver is, and what shows its windows where there is no screen. */
export interface FoundWebKit {
  readonly driver: string
  readonly xvfb?: string
}

export const findFirefox = (): string | undefined =>
  process.env['FIREFOX_PATH'] || installed(['firefox-esr', 'firefox'])

/** It comes without a way to do without a screen. */
export function findWebKit(): FoundWebKit | undefined {
  const driver = installed(['WebKitWebDriver'])
  const xvfb = installed(['Xvfb'])
  if (driver === undefined || (xvfb === undefined && process.env['DISPLAY'] === undefined)) return undefined
  return { driver, ...(xvfb !== undefined && { xvfb }) }
}

/** Why an engine is not there; undefined for one that is. */
export function whyMissing(name: EngineName): string | undefined {
  if (name === 'firefox' && findFirefox() === undefined)
    return 'Firefox is left out: install it (apt-get install firefox-esr), or set FIREFOX_PATH.'
  if (name === 'webkit' && findWebKit() === undefined)
    return 'WebKit is left out: install its driver and a screen for it (apt-get install webkit2gtk-driver xvfb).'
  return undefined
}
