import { generateReport as longTool } from '../../../demo/server/tools.js'

/** A call of the tool of the demo that takes its time: six seconds of it. */
export const longCall = { name: longTool.name, arguments: { title: 'Quarter 3', seconds: 6, outcome: 'success' } }
