// What the library costs an app, beside the budgets in size.json, in bytes. `npm run size` fails where one is exceeded.
// - An entry: its own code minified and gzipped, without its dependencies. `taskwire/auth` and those below are what they add
//   to `taskwire`, which an app that uses them has anyway; `taskwire/solid`, `taskwire/svelte` and `taskwire/vue` are what
//   they add to `taskwire` and `taskwire/query`, on which they stand, in an app that does not import `useElicitationForm`;
//   `with a form` is with it, beside `taskwire/forms`; `taskwire/lite`, `taskwire/sdk-v1` and `taskwire/bridge` stand alone. `later` is what is loaded only when
//   it is needed: for servers and SDK clients of the revision before, and for `observe()`.
// - `+ NAME`: what it adds to a Vite app that has the SDK client, dependencies included, at first load; `(modern)`: with
//   what is loaded later, but for servers and SDK clients of the revision before.
// - `a page with NAME`: everything that a page ships whose app has a client and nothing else, the SDK and other
//   dependencies included. `and hooks`: with `taskwire/react` and TanStack Query; React itself is not counted.
import { readFileSync } from 'node:fs'
import { measureAdditions, measureBridgeReactPage, measureEntry, measurePage, measureWithout } from './bundles.mjs'

/** @type {Record<string, number>} */
const budgets = JSON.parse(readFileSync('size.json', 'utf8'))

const core = await measureEntry('taskwire')
const ai = await measureEntry('taskwire/ai', core.files)
const alarms = await measureEntry('taskwire/alarms', core.files)
const auth = await measureEntry('taskwire/auth', core.files)
const query = await measureEntry('taskwire/query', core.files)
const diagnose = await measureEntry('taskwire/diagnose', core.files)
const devtools = await measureEntry('taskwire/devtools', core.files)
const forms = await measureEntry('taskwire/forms', core.files)
const jobs = await measureEntry('taskwire/jobs', core.files)
const notify = await measureEntry('taskwire/notify', core.files)
const results = await measureEntry('taskwire/results', core.files)
const otel = await measureEntry('taskwire/otel', core.files)
const react = await measureEntry('taskwire/react', new Set([...core.files, ...forms.files]))
const withQuery = new Set([...core.files, ...query.files])
const withForms = new Set([...withQuery, ...forms.files])
const solid = await measureWithout('taskwire/solid', 'useElicitationForm', withQuery)
const solidForm = await measureEntry('taskwire/solid', withForms)
const svelte = await measureWithout('taskwire/svelte', 'useElicitationForm', withQuery)
const svelteForm = await measureEntry('taskwire/svelte', withForms)
const vue = await measureWithout('taskwire/vue', 'useElicitationForm', withQuery)
const vueForm = await measureEntry('taskwire/vue', withForms)
const { createTaskClient, withTasks } = await measureAdditions()
const lite = await measureEntry('taskwire/lite')
const sdkV1 = await measureEntry('taskwire/sdk-v1')
const page = await measurePage('taskwire')
const litePage = await measurePage('taskwire/lite')
const corePage = await measurePage('taskwire/core')
const bridge = await measureEntry('taskwire/bridge')
const bridgePage = await measurePage('taskwire/bridge')
const bridgeReactPage = await measureBridgeReactPage()

const measured = {
  taskwire: { gzip: core.first, later: core.later },
  'taskwire/ai': { gzip: ai.first, later: ai.later },
  'taskwire/devtools': { gzip: devtools.first, later: devtools.later },
  'taskwire/alarms': { gzip: alarms.first, later: alarms.later },
  'taskwire/auth': { gzip: auth.first, later: auth.later },
  'taskwire/diagnose': { gzip: diagnose.first, later: diagnose.later },
  'taskwire/forms': { gzip: forms.first, later: forms.later },
  'taskwire/jobs': { gzip: jobs.first, later: jobs.later },
  'taskwire/notify': { gzip: notify.first, later: notify.later },
  'taskwire/otel': { gzip: otel.first, later: otel.later },
  'taskwire/query': { gzip: query.first, later: query.later },
  'taskwire/react': { gzip: react.first, later: react.later },
  'taskwire/results': { gzip: results.first, later: results.later },
  'taskwire/solid': { gzip: solid.first, later: solid.later },
  'taskwire/solid with a form': { gzip: solidForm.first, later: solidForm.later },
  'taskwire/svelte': { gzip: svelte.first, later: svelte.later },
  'taskwire/svelte with a form': { gzip: svelteForm.first, later: svelteForm.later },
  'taskwire/vue': { gzip: vue.first, later: vue.later },
  'taskwire/vue with a form': { gzip: vueForm.first, later: vueForm.later },
  '+ createTaskClient': { gzip: createTaskClient.first, later: createTaskClient.all - createTaskClient.first },
  '+ createTaskClient (modern)': {
    gzip: createTaskClient.modern,
    later: createTaskClient.all - createTaskClient.modern,
  },
  'taskwire/lite': { gzip: lite.first, later: lite.later },
  'taskwire/sdk-v1': { gzip: sdkV1.first, later: sdkV1.later },
  'taskwire/bridge': { gzip: bridge.first, later: bridge.later },
  'a page with taskwire': { gzip: page.first, later: page.later },
  'a page with taskwire/lite': { gzip: litePage.first, later: litePage.later },
  'a page with taskwire/core': { gzip: corePage.first, later: corePage.later },
  'a page with taskwire/bridge': { gzip: bridgePage.first, later: bridgePage.later },
  'a page with taskwire/bridge and hooks': { gzip: bridgeReactPage.first, later: bridgeReactPage.later },
  '+ withTasks': { gzip: withTasks.first, later: withTasks.all - withTasks.first },
}

const rows = Object.entries(measured).map(([name, { gzip, later }]) => {
  const budget = budgets[name] ?? 0
  return { name, gzip, budget, left: budget - gzip, later }
})
console.table(Object.fromEntries(rows.map(({ name, ...numbers }) => [name, numbers])))

const over = rows.filter(({ left }) => left < 0)
for (const { name, gzip, budget } of over) {
  console.error(`${name} is ${gzip} bytes, ${gzip - budget} over its budget of ${budget} in size.json.`)
}
process.exitCode = over.length === 0 ? 0 : 1
