import { readdirSync, readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'

const docs = new URL('..', import.meta.url)

const examples: DefaultTheme.SidebarItem[] = ['vanilla', 'vite-react', 'existing-client', 'vue', 'solid', 'sveltekit']
  .concat('next', 'assistant-ui', 'copilotkit', 'express', 'hono', 'workers')
  .map((name) => ({ text: titleOf(`examples/${name}.md`), link: `/examples/${name}` }))

/** Every page that people look for, by what they want to do. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: 'Begin',
    items: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Coming from another client', link: '/coming-from' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
  },
  {
    text: 'In the page',
    items: [
      { text: 'Show progress', link: '/progress' },
      { text: 'Survive a reload', link: '/reload' },
      { text: 'Several tabs', link: '/tabs' },
      { text: 'Ask the user', link: '/interactive-tasks' },
      { text: 'Cancel', link: '/cancel' },
      { text: 'Show errors', link: '/errors' },
      { text: 'Notify when done', link: '/notify' },
      { text: 'Several servers, several accounts', link: '/servers' },
      { text: 'Sign in', link: '/sign-in' },
      { text: 'Another device', link: '/another-device' },
      { text: 'Typed tools', link: '/typed-tools' },
      { text: 'Vercel AI SDK', link: '/ai-sdk' },
      { text: 'MCP Apps', link: '/mcp-apps' },
      { text: 'A small page', link: '/lite' },
    ],
  },
  {
    text: 'Server',
    items: [
      { text: 'A task server in a minute', link: '/server' },
      { text: 'Past one process', link: '/scale' },
      { text: 'Deploy', link: '/deploy' },
      { text: 'The raw requests', link: '/raw-requests' },
      { text: 'CORS', link: '/cors' },
      { text: 'Both revisions', link: '/eras' },
    ],
  },
  {
    text: 'Look and test',
    items: [
      { text: 'Test your app', link: '/testing' },
      { text: 'Devtools', link: '/devtools' },
      { text: 'Observations and traces', link: '/observing' },
      { text: 'The doctor', link: '/doctor' },
    ],
  },
  {
    text: 'What holds, what it costs',
    items: [
      { text: 'Durability', link: '/durability' },
      { text: 'Security', link: '/security' },
      { text: 'Sizes and costs', link: '/sizes' },
      { text: 'Supported versions', link: '/versions' },
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
