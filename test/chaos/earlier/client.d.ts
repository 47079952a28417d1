// taskwire/lite of d07b866f, made by: node scripts/earlierClient.mjs d07b866f
export { createTaskClient } from 'taskwire/lite'
