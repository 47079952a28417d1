import { describeBinding } from './contract.js'
import { solidBinding } from './solidBinding.js'

describeBinding(solidBinding)
