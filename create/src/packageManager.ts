/** What a person types to install and to run a script. */
interface PackageManager {
  readonly install: string
  readonly run: string
}

const NPM: PackageManager = { install: 'npm install', run: 'npm run' }

const MANAGERS: Readonly<Record<string, PackageManager>> = {
  bun: { install: 'bun install', run: 'bun run' },
  npm: NPM,
  pnpm: { install: 'pnpm install', run: 'pnpm' },
  yarn: { install: 'yarn', run: 'yarn' },
}

/** @param userAgent `npm_config_user_agent`, which every package manager sets: `pnpm/10.1.0 npm/? node/v22.0.0 linux x64` */
function packageManagerOf(userAgent: string | undefined): PackageManager {
  const name = userAgent?.split('/')[0] ?? ''
  return (Object.hasOwn(MANAGERS, name) ? MANAGERS[name] : undefined) ?? NPM
}

/** The commands from where the person is to the running app. */
export function nextCommands(folder: string, userAgent: string | undefined): string[] {
  const { install, run } = packageManagerOf(userAgent)
  const enter = folder === '' ? [] : [`cd ${/[^\w%+=:,./\\~-]/.test(folder) ? `"${folder}"` : folder}`]
  return [...enter, install, `${run} dev`]
}
