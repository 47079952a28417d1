import { CreateError } from './createError.js'

/** What can be created, by the name that `--template` takes. */
export const TEMPLATES = {
  react: 'React with Vite',
  next: 'Next.js',
} as const

export type Template = keyof typeof TEMPLATES

/** The templates in their order: the first one is taken where nobody is asked. */
export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as [Template, ...Template[]]

export function readTemplate(word: string): Template {
  const template = TEMPLATE_NAMES.find((name) => name === word)
  if (template !== undefined) return template
  throw new CreateError('USAGE', `There is no template "${word}". The templates are: ${TEMPLATE_NAMES.join(', ')}.`)
}
