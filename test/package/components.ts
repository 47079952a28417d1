import { compile, parse as parseSvelte } from 'svelte/compiler'
import { compileScript, parse as parseVue } from 'vue/compiler-sfc'

/**
 * Compiles a component of Vue or Svelte.
 * @returns TypeScript with the script of the component and the expressions of its template, for a compiler that checks types
 * @throws what the compiler of the framework finds wrong, warnings of Svelte included
 */
export function typeScriptOf(path: string, source: string): string {
  return path.endsWith('.vue') ? ofVue(path, source) : ofSvelte(path, source)
}

export const isComponent = (path: string): boolean => /\.(?:vue|svelte)$/.test(path)

function ofVue(path: string, source: string): string {
  const { descriptor, errors } = parseVue(source, { filename: path })
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  const { content } = compileScript(descriptor, { id: 'page', inlineTemplate: true })
  // TypeScript narrows `refs.data`, which is what a template says, and does not narrow `unref(data)`.
  const names = new Set([...content.matchAll(/_unref\((?<name>\w+)\)/g)].map(({ groups: { name = '' } = {} }) => name))
  // Types of props are gone where it was compiled, and an import that is not used would not compile.
  const types = [...content.matchAll(/^import type (?<list>\{[^}]*\})/gm)].map(({ groups: { list = '' } = {} }) => list)
  return content
    .concat(...types.map((list) => `\nexport type ${list}\n`))
    .replace('unref as _unref', 'proxyRefs as _proxyRefs')
    .replace('return (_ctx: any', `const _refs = _proxyRefs({ ${[...names].join(', ')} })\n$&`)
    .replaceAll(/_unref\((\w+)\)/g, '_refs.$1')
    .replaceAll('($event: any) => (', '$&void $event, ')
}

/** As much of a node of a template as is read here. */
interface Node {
  type: string
  /** Of a component. */
  name?: string
  start: number
  end: number
  nodes?: Node[]
  attributes?: Node[]
  /** Of an attribute: `true` where there is none. */
  value?: true | Node | Node[]
  fragment?: Node
  expression?: Node
  test?: Node
  consequent?: Node
  alternate?: Node | null
  context?: Node
  key?: Node
  body?: Node
}

/** Functions that the compiler of Svelte knows, with their types. */
const RUNES = { $props: '(): any', $derived: '<T>(value: T): T' }

function ofSvelte(path: string, source: string): string {
  const { warnings } = compile(source, { filename: path })
  if (warnings.length > 0) throw new Error(warnings.map(({ message }) => message).join('\n'))
  const { instance, fragment } = parseSvelte(source, { filename: path, modern: true })
  const textOf = (node: Node | undefined): string => (node ? source.slice(node.start, node.end) : '')

  const childrenOf = ({ attributes = [], fragment }: Node): string =>
    [...attributes, ...(fragment ? [fragment] : [])].map(statementsOf).join('')

  /** The expressions of a template as statements, so that TypeScript narrows in them what the template has asked for. */
  function statementsOf(node: Node): string {
    switch (node.type) {
      case 'Comment':
      case 'Text':
        return ''
      case 'Fragment':
        return (node.nodes ?? []).map(statementsOf).join('')
      case 'Component':
        return `void ${node.name};\n${childrenOf(node)}`
      case 'RegularElement':
      case 'SvelteElement':
        return childrenOf(node)
      case 'Attribute':
        return node.value === true ? '' : [node.value ?? []].flat().map(statementsOf).join('')
      case 'ExpressionTag':
      case 'SpreadAttribute':
        return `void (${textOf(node.expression)});\n`
      case 'IfBlock': {
        const [then, otherwise] = [node.consequent, node.alternate].map((part) => (part ? statementsOf(part) : ''))
        return `if (${textOf(node.test)}) {\n${then}} else {\n${otherwise}}\n`
      }
      case 'EachBlock': {
        const body = node.body ? statementsOf(node.body) : ''
        return `for (const ${textOf(node.context)} of ${textOf(node.expression)}) {\nvoid ${textOf(node.key)};\n${body}}\n`
      }
      default:
        throw new Error(`${path} has a ${node.type}: say here what TypeScript makes of it.`)
    }
  }
  const code = textOf(instance?.content as unknown as Node)
  const runes = Object.entries(RUNES).map(([name, type]) =>
    code.includes(`${name}(`) ? `declare function ${name}${type}\n` : '',
  )
  return `${code}\n${runes.join('')}${statementsOf(fragment as unknown as Node)}export default {}\n`
}
