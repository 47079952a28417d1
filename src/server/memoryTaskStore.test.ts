import { describeTaskStore } from '../../test/server/support/taskStoreContract.js'
import { MemoryTaskStore } from './memoryTaskStore.js'

describeTaskStore('MemoryTaskStore', () => new MemoryTaskStore())
