import { describeBinding } from './contract.js'
import { vueBinding } from './vueBinding.js'

describeBinding(vueBinding)
