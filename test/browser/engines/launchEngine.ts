import { inject } from 'vitest'
import { launchChromiumEngine } from './chromiumEngine.js'
import type { Engine, EngineName, EngineOptions } from './engine.js'
import { findFirefox, findWebKit } from './whyMissing.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser engine that the tests of a project run in. */
    engine: EngineName
  }
}

/** The engine that the tests of this project run in: see vite.config.ts. */
export const engineName: EngineName = inject('engine')

/** Starts the engine of this project. Drivers of other engines are not even loaded. */
export async function launchEngine({ hasWindow = false }: Partial<EngineOptions> = {}): Promise<Engine> {
  const [firefox, webkit] = [findFirefox(), findWebKit()]
  if (engineName === 'firefox' && firefox !== undefined)
    return (await import('./firefoxEngine.js')).launchFirefox(firefox)
  if (engineName === 'webkit' && webkit !== undefined) return (await import('./webkitEngine.js')).launchWebKit(webkit)
  return launchChromiumEngine({ hasWindow })
}
