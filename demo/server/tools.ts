import { ProtocolError } from '@modelcontextprotocol/server'
import { defineTool } from 'taskwire/server'
import { z } from 'zod'
import { paint } from '../shared/paint.js'
import { renderInput, renderOutput, shots } from '../shared/render.js'

const SCENE_UNREADABLE = -32050
const MACHINES = 16

/** In how many parts a shot is rendered. */
const PARTS = 12

/** The takes that are being rendered in this process. */
const atWork = new Set<number>()
let takes = 0

/**
 * Renders frame by frame and says how far it is. As a task where the client knows tasks. It is safe to repeat: a handler
 * that runs again, because the server was restarted or a worker was lost, goes on with its take after the parts that are done.
 */
export const renderShot = defineTool({
  name: 'render_shot',
  title: 'Render a shot',
  description: 'Renders all frames of a shot and returns its picture. Takes the time it is given.',
  inputSchema: renderInput,
  outputSchema: renderOutput,
  annotations: { idempotentHint: true },
  taskSupport: 'optional',
  async handler({ shot, seconds, ending }, { progress, once, sleep }) {
    const { title, frames } = shots[shot]
    const { take, startedAt } = await once('begin', () => ({ take: ++takes, startedAt: Date.now() }))
    const renderPart = async (part: number) => {
      for (let frame = ((part - 1) * frames) / PARTS; frame < (part * frames) / PARTS; frame += 1) {
        await progress(frame, frames, stageOf(frame / frames))
        await sleep((seconds * 1000) / frames)
      }
    }
    const render = async (from: number, to: number) => {
      for (let part = from; part <= to; part += 1) {
        await once(`part ${part}`, () => renderPart(part), { mayRepeat: true })
      }
    }

    atWork.add(take)
    try {
      await render(1, PARTS / 2)
      if (ending === 'breaks off') {
        throw new ProtocolError(SCENE_UNREADABLE, `The scene cannot be read past frame ${frames / 2}.`)
      }
      if (ending === 'is rejected') {
        const text = `Frames ${frames / 2 - 8} to ${frames / 2} flicker: not delivered.`
        return { content: [{ type: 'text', text }], isError: true }
      }
      await render(PARTS / 2 + 1, PARTS)
    } finally {
      atWork.delete(take)
    }

    const picture = paint(shot, take)
    const structuredContent = { shot, take, frames, renderedInMs: Date.now() - startedAt, picture }
    return { content: [{ type: 'text', text: `${title}: ${frames} frames, take ${take}.` }], structuredContent }
  },
})

/** Answers at once: a call that never becomes a task. */
export const farmStatus = defineTool({
  name: 'farm_status',
  title: 'Ask the render farm',
  description: 'Says how many machines are free.',
  inputSchema: z.object({}),
  annotations: { readOnlyHint: true, idempotentHint: true },
  taskSupport: 'forbidden',
  handler: () => {
    const free = MACHINES - 4 * Math.min(atWork.size, 4)
    return { content: [{ type: 'text', text: `${free} of ${MACHINES} machines are free.` }] }
  },
})

function stageOf(share: number): string {
  if (share < 0.15) return 'Geometry'
  if (share < 0.6) return 'Lighting'
  return share < 0.9 ? 'Shading' : 'Grading'
}
