import { describeTaskStore } from '../../../test/server/support/taskStoreContract.js'
import { InMemoryTaskStore } from './inMemoryTaskStore.js'

describeTaskStore('InMemoryTaskStore', () => new InMemoryTaskStore())
