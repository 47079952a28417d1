import { expect, it } from 'vitest'
import { paint } from '../../demo/shared/paint.js'
import { renderOutput, shotIds } from '../../demo/shared/render.js'

it.each(shotIds)('each take of the shot "%s" is a picture as the demo describes it, and the same each time', (shot) => {
  for (let take = 0; take < 300; take += 1) {
    const picture = paint(shot, take)
    expect(renderOutput.shape.picture.safeParse(picture).error).toBeUndefined()
    expect(paint(shot, take)).toEqual(picture)
  }
})
