// Each live example as a project of one's own: a zip of its files, in docs/public/live/projects.
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The folders of each project: a file of a later one is left out where an earlier one has it. */
const PROJECTS = {
  react: ['examples/vite-react'],
  vanilla: ['examples/vanilla'],
  // It has no settings of its own.
  ask: ['docs/live/ask', 'examples/vite-react'],
}

/** Files of the second folder that a project has: no sources. */
const isSetting = (/** @type {string} */ path) => /^(?:package|tsconfig)\.json$|^vite\.config\.ts$/.test(path)

/**
 * @param {string} name
 * @returns {Record<string, string>} the files of a project by their path
 */
export function filesOfProject(name) {
  const [, folders = []] = Object.entries(PROJECTS).find(([key]) => key === name) ?? []
  const files = folders.flatMap((folder, index) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/[\\/](?:node_modules|dist)(?:[\\/]|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(join(root, folder).length + 1).replaceAll('\\', '/'), path])
      .filter(([path = '']) => index === 0 || isSetting(path)),
  )
  const own = Object.fromEntries(files.reverse().map(([path = '', file = '']) => [path, readFileSync(file, 'utf8')]))
  const manifest = { ...JSON.parse(own['package.json'] ?? '{}'), name: `taskwire-${name}` }
  return {
    ...own,
    '.gitignore': 'node_modules\ndist\n',
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': `# taskwire-${name}\n\n\`npm install\`, then \`npm run dev\`. The MCP server is in \`server.ts\`.\n`,
  }
}

/** @param {string} out the folder of the zips, which is emptied */
export async function writeProjects(out) {
  const { strToU8, zipSync } = await import(pathToFileURL(join(root, 'docs/node_modules/fflate/esm/index.mjs')).href)
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  for (const name of Object.keys(PROJECTS)) {
    const files = Object.entries(filesOfProject(name)).map(([path, text]) => [
      `taskwire-${name}/${path}`,
      strToU8(text),
    ])
    // The same bytes for the same files.
    await writeFile(join(out, `${name}.zip`), zipSync(Object.fromEntries(files), { mtime: '2026-01-01' }))
  }
}
