import { resolve } from 'node:path'
import { type Plugin, transformWithOxc } from 'vite'
import { compileScript, parse } from 'vue/compiler-sfc'

/** As much of the plugins of Vue and Solid as the components of the pages need. Svelte has its own, in svelte.ts. */
export function components(): Plugin {
  return {
    name: 'components',
    enforce: 'pre',
    async transform(code, id) {
      if (id.endsWith('.vue')) return { code: await ofVue(code, id), moduleType: 'js' }
      if (id.endsWith('.solid.tsx')) return { code: await ofSolid(code, id), moduleType: 'js' }
      return
    },
    // Packages as the tests find them: docs/ may have a Vue of its own, and `taskwire` is our own sources, by the paths of
    // tsconfig.json, which name no file of Vue or Svelte.
    resolveId(id, importer = '') {
      if (importer.endsWith('.solid.tsx') && id.endsWith('.solid')) return resolve(importer, '..', `${id}.tsx`)
      const isPackage = /^[a-z@]/.test(id) && /\/docs\/examples\/.*\.(?:vue|svelte|solid\.tsx)$/.test(importer)
      return isPackage ? this.resolve(id, resolve('test/setup/components.ts'), { skipSelf: true }) : undefined
    },
  }
}

/** @throws what the compiler finds wrong */
async function ofVue(code: string, id: string): Promise<string> {
  const { descriptor, errors } = parse(code, { filename: id })
  if (errors.length > 0) throw new Error(errors.join('\n'))
  const { content } = compileScript(descriptor, { id: 'component', inlineTemplate: true })
  return (await transformWithOxc(content, `${id}.ts`)).code
}

/** Loaded here: most tests have no component of Solid. */
async function ofSolid(code: string, id: string): Promise<string> {
  const [{ transformAsync }, solid] = await Promise.all([import('@babel/core'), import('babel-preset-solid')])
  const parserOpts = { plugins: ['typescript', 'jsx'] }
  const options = { filename: id, babelrc: false, configFile: false, presets: [solid.default], parserOpts }
  const compiled = await transformAsync(code, options)
  return (await transformWithOxc(compiled?.code ?? '', `${id}.ts`)).code
}
