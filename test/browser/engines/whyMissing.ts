import type { EngineName } from './engine.js'
import { installed, type Variables } from './executables.js'

/** Where WebKit's driver is, and what shows its windows where there is no screen. */
export interface FoundWebKit {
  readonly driver: string
  readonly xvfb?: string
}

export const findFirefox = (variables: Variables = process.env): string | undefined =>
  variables['FIREFOX_PATH'] || installed(['firefox-esr', 'firefox'], variables)

/** WebKit has no way to do without a screen. */
export function findWebKit(variables: Variables = process.env): FoundWebKit | undefined {
  const driver = installed(['WebKitWebDriver'], variables)
  const xvfb = installed(['Xvfb'], variables)
  if (driver === undefined || (xvfb === undefined && variables['DISPLAY'] === undefined)) return undefined
  return { driver, ...(xvfb !== undefined && { xvfb }) }
}

/** Why an engine is not there; undefined for one that is. */
export function whyMissing(name: EngineName, variables: Variables = process.env): string | undefined {
  if (name === 'firefox' && findFirefox(variables) === undefined)
    return 'Firefox is left out: install it (apt-get install firefox-esr), or set FIREFOX_PATH.'
  if (name === 'webkit' && findWebKit(variables) === undefined)
    return 'WebKit is left out: install its driver and a screen for it (apt-get install webkit2gtk-driver xvfb).'
  return undefined
}
