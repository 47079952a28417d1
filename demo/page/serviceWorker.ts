import { serveSite } from './serveSite.js'

serveSite({ name: 'taskwire-demo' })
