import { readdirSync, readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'

const docs = new URL('..', import.meta.url)

const examples: DefaultTheme.SidebarItem[] = ['vanilla', 'vite-react', 'existing-client', 'vue', 'solid', 'sveltekit']
  .concat('next', 'express', 'hono', 'workers')
  .map((name) => ({ text: titleOf(`examples/${name}.md`), link: `/examples/${name}` }))

/** Every page that people look for, by what they want to do. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: 'Guide',
    items: [
      { text: 'Sign in', link: '/sign-in' },
      { text: 'Tasks that ask for input', link: '/interactive-tasks' },
      { text: 'Typed tools', link: '/typed-tools' },
      { text: 'A small page', link: '/lite' },
      { text: 'Both revisions', link: '/eras' },
      { text: 'Supported versions', link: '/versions' },
    ],
  },
  {
    text: 'Server',
    items: [
      { text: 'A task server in a minute', link: '/server' },
      { text: 'Past one process', link: '/scale' },
      { text: 'CORS', link: '/cors' },
    ],
  },
  {
    text: 'Look and test',
    items: [
      { text: 'Testing', link: '/testing' },
      { text: 'Devtools', link: '/devtools' },
      { text: 'Observing', link: '/observing' },
      { text: 'The doctor', link: '/doctor' },
    ],
  },
  {
    text: 'What holds',
    items: [
      { text: 'Durability', link: '/durability' },
      { text: 'Security', link: '/security' },
    ],
  },
  { text: 'Examples', collapsed: true, items: examples },
  { text: 'Decisions', collapsed: true, items: decisions() },
]

function decisions(): DefaultTheme.SidebarItem[] {
  return readdirSync(new URL('decisions', docs))
    .filter((file) => file.endsWith('.md') && !file.startsWith('000'))
    .sort()
    .map((file) => ({ text: titleOf(`decisions/${file}`), link: `/decisions/${file.replace(/\.md$/, '')}` }))
}

function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readFileSync(new URL(page, docs), 'utf8'))?.[1] ?? page
}
