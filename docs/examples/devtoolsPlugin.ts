import { taskwireDevtoolsPlugin } from 'taskwire/devtools'
import { client } from './devtoolsFaults'

// In React: <TanStackDevtools plugins={plugins} />
export const plugins = [taskwireDevtoolsPlugin(client)]
