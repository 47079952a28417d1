import { renderShot as longTool } from '../../../demo/server/tools.js'

/** A call of the tool of the demo that takes its time: six seconds of it. */
export const longCall = { name: longTool.name, arguments: { shot: 'harbour', seconds: 6, ending: 'goes well' } }
