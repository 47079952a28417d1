import { describeBinding } from './contract.js'
import { svelteBinding } from './svelteBinding.js'

describeBinding(svelteBinding)
