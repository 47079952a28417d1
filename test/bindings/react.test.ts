import { describeBinding } from './contract.js'
import { reactBinding } from './reactBinding.js'

describeBinding(reactBinding)
