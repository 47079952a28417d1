// The program `npx taskwire`: `node scripts/run.mjs test/cli/support/main.ts COMMAND`.
import '../../../src/tools/cli/main.js'
