import { readFileSync } from 'node:fs'

/** An item of VitePress, which the checks of the repository run without. */
interface SidebarItem {
  text: string
  link?: string
  items?: SidebarItem[]
  collapsed?: boolean
}

const docs = new URL('..', import.meta.url)

const examples: SidebarItem[] = ['vanilla', 'vite-react', 'existing-client', 'vue', 'solid', 'sveltekit']
  .concat(
    'next',
    'backend-hono',
    'backend-next',
    'assistant-ui',
    'copilotkit',
    'express',
    'hono',
    'workers',
    'workers-alarms',
  )
  .map((name) => ({ text: titleOf(`examples/${name}.md`), link: `/examples/${name}` }))

/** Every page for users, in the order of their questions. Pages for contributors are on GitHub. */
export const sidebar: SidebarItem[] = [
  {
    text: 'Start',
    items: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Keys', link: '/keys' },
      { text: 'Migration', link: '/coming-from' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
  },
  {
    text: 'Frameworks',
    items: [
      { text: 'React', link: '/react' },
      { text: 'Vue', link: '/vue' },
      { text: 'Svelte', link: '/svelte' },
      { text: 'Solid', link: '/solid' },
      { text: 'Plain DOM', link: '/vanilla' },
      { text: 'Server rendering and Next.js', link: '/server-rendering' },
      { text: 'An app with an SDK client', link: '/sdk-client' },
    ],
  },
  {
    text: 'Live examples',
    items: [
      { text: 'React', link: '/live/react' },
      { text: 'Plain DOM', link: '/live/vanilla' },
      { text: 'Several tabs', link: '/live/tabs' },
      { text: 'Input requests', link: '/live/ask' },
    ],
  },
  {
    text: 'Guides',
    items: [
      { text: 'Progress', link: '/progress' },
      { text: 'Cancellation', link: '/cancel' },
      { text: 'Errors', link: '/errors' },
      { text: 'Reload', link: '/reload' },
      { text: 'Tabs', link: '/tabs' },
      { text: 'Devices', link: '/another-device' },
      { text: 'Input requests', link: '/interactive-tasks' },
      { text: 'Notifications', link: '/notify' },
      { text: 'Servers and accounts', link: '/servers' },
      { text: 'Sign-in', link: '/sign-in' },
      { text: 'Servers without tasks', link: '/jobs' },
      { text: 'A gateway', link: '/gateway' },
      { text: 'Types', link: '/typed-tools' },
      { text: 'Small pages', link: '/lite' },
      { text: 'Vercel AI SDK', link: '/ai-sdk' },
      { text: 'MCP Apps', link: '/mcp-apps' },
      { text: 'Page or backend', link: '/which-side' },
      { text: 'Backends', link: '/backend' },
      { text: 'Closed tabs', link: '/closed-tab' },
      { text: 'Hosts', link: '/hosts' },
      { text: 'Hosts that sleep', link: '/alarms' },
    ],
  },
  {
    text: 'Server',
    items: [
      { text: 'A task server', link: '/server' },
      { text: 'CORS', link: '/cors' },
      { text: 'Deployment', link: '/deploy' },
      { text: 'Several processes', link: '/scale' },
      { text: 'Protocol revisions', link: '/eras' },
      { text: 'Raw requests', link: '/raw-requests' },
    ],
  },
  {
    text: 'Tools',
    items: [
      { text: 'Tests', link: '/testing' },
      { text: 'Devtools', link: '/devtools' },
      { text: 'Logs and traces', link: '/observing' },
      { text: 'Doctor', link: '/doctor' },
    ],
  },
  {
    text: 'Facts',
    items: [
      { text: 'Durability', link: '/durability' },
      { text: 'Watch a recording', link: '/replay' },
      { text: 'Security', link: '/security' },
      { text: 'Sizes and costs', link: '/sizes' },
      { text: 'Supported versions', link: '/versions' },
    ],
  },
  { text: 'Example apps', collapsed: true, items: examples },
]

function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readFileSync(new URL(page, docs), 'utf8'))?.[1] ?? page
}
