// Makes one file of the page that `npx taskwire gateway` serves, with all that it imports: `npm run build` does it.
import { build } from 'vite'

await build({
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  build: {
    target: 'es2022',
    outDir: 'dist/tools/cli/gateway',
    emptyOutDir: false,
    modulePreload: false,
    rolldownOptions: {
      input: 'src/tools/page/main.ts',
      output: { entryFileNames: 'page.bundle.js', codeSplitting: false },
    },
  },
})
