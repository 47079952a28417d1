import type { Plugin } from 'vite'

interface Compiler {
  compile(code: string, options: object): { js: { code: string } }
  compileModule(code: string, options: object): { js: { code: string } }
}

/** As much of Svelte's plugin as the tests need. */
export function svelte(load: () => Promise<unknown> = () => import('svelte/compiler')): Plugin {
  return {
    name: 'svelte',
    async transform(code, id) {
      if (!/\.svelte(\.js)?$/.test(id)) return
      const { compile, compileModule } = (await load()) as Compiler
      const options = { filename: id, generate: this.environment.name === 'client' ? 'client' : 'server' }
      return id.endsWith('.js') ? compileModule(code, options).js : compile(code, options).js
    },
  }
}
