import type { Picture, ShotId } from './render.js'

type Shape = Picture['shapes'][number]

/** A number between two others. */
type Chance = (from: number, to: number) => number

/** What a shot looks like in a take: the same each time. */
export function paint(shot: ShotId, take: number): Picture {
  return SCENES[shot](chanceOf(take * 7919 + shot.length * 104_729))
}

const SCENES: Record<ShotId, (chance: Chance) => Picture> = {
  harbour: (chance) => ({
    sky: ['#2b3a67', '#f6a56b'],
    shapes: [
      disc('#ffe3b0', chance(190, 250), 104, 26),
      ridge('#5d4a66', 112, 10, chance),
      box('#24304f', 0, 118, 320, 62),
      ...many(9, (index) => box('#ffcf9a', chance(150, 230), 124 + index * 6, chance(20, 60), 1.6, 0.55)),
      ...many(3, (index) => crane('#161c30', 26 + index * 44 + chance(-6, 6), 118, chance(46, 66))),
      boat('#10152a', chance(120, 190), 146),
    ],
  }),
  train: (chance) => ({
    sky: ['#0a1030', '#3a3f7a'],
    shapes: [
      ...many(34, () => disc('#dfe6ff', chance(4, 316), chance(4, 84), chance(0.4, 1.1), 0.8)),
      disc('#f2efdc', chance(40, 110), 40, 15),
      ridge('#232a5c', 100, 24, chance),
      ridge('#161b41', 122, 14, chance),
      box('#0a0d24', 0, 142, 320, 38),
      ...many(5, (index) => box('#05071a', 12 + index * 60, 116, 57, 24)),
      ...many(20, (index) => box('#ffd98a', 17 + Math.floor(index / 4) * 60 + (index % 4) * 13, 122, 8, 8)),
      box('#ffd98a', 0, 150, 320, 1, 0.25),
    ],
  }),
  glasshouse: (chance) => ({
    sky: ['#dff1e4', '#8fc7a6'],
    shapes: [
      disc('#fffbe0', chance(220, 280), 44, 30, 0.9),
      shape('#c9ead6', 'M40 180 L40 84 Q160 -22 280 84 L280 180 Z', 0.9),
      ...many(9, (index) => box('#4f8a6d', 44 + index * 29, 36 + (index - 4) ** 2 * 2.6, 1.6, 144, 0.7)),
      box('#4f8a6d', 40, 96, 240, 1.6, 0.7),
      ...many(7, (index) => leaf('#2f6b4c', 62 + index * 33 + chance(-8, 8), chance(44, 88))),
      ...many(8, (index) => leaf('#174a34', 46 + index * 33 + chance(-8, 8), chance(24, 52))),
    ],
  }),
  tide: (chance) => ({
    sky: ['#f4d9c6', '#f0b7a0'],
    shapes: [
      disc('#fff4df', chance(110, 190), 70, 22),
      box('#86b6bd', 0, 88, 320, 30),
      box('#c9dcd6', 0, 102, 320, 5, 0.7),
      box('#dcb592', 0, 114, 320, 66),
      ...many(8, (index) => pool('#8ebfc4', chance(10, 300), 124 + index * 7, chance(30, 70))),
      shape('#6d4c45', 'M226 118 L234 84 L262 76 L276 96 L300 92 L320 118 Z'),
      shape('#543833', 'M246 118 L258 94 L276 96 L290 118 Z'),
    ],
  }),
}

/** Numbers that are the same for the same seed. */
function chanceOf(seed: number): Chance {
  let state = seed % 233_280
  return (from, to) => {
    state = (state * 9301 + 49_297) % 233_280
    return Math.round((from + (state / 233_280) * (to - from)) * 10) / 10
  }
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function shape(fill: string, path: string, opacity = 1): Shape {
  // What a sum of tenths leaves behind, such as 1e-15, is no number to a picture.
  return {
    fill,
    opacity,
    path: path.replace(/-?\d[\d.e-]*/g, (number) => String(Math.round(Number(number) * 10) / 10)),
  }
}

function box(fill: string, x: number, y: number, width: number, height: number, opacity = 1): Shape {
  return shape(fill, `M${x} ${y} L${x + width} ${y} L${x + width} ${y + height} L${x} ${y + height} Z`, opacity)
}

function disc(fill: string, x: number, y: number, r: number, opacity = 1): Shape {
  return shape(fill, `M${x - r} ${y} A${r} ${r} 0 1 1 ${x + r} ${y} A${r} ${r} 0 1 1 ${x - r} ${y} Z`, opacity)
}

function ridge(fill: string, y: number, height: number, chance: Chance): Shape {
  const tops = many(7, (index) => `L${index * 54 - 2} ${y - chance(0, height)}`)
  return shape(fill, `M0 180 ${tops.join(' ')} L320 180 Z`)
}

function crane(fill: string, x: number, y: number, height: number): Shape {
  const top = y - height
  const mast = `M${x} ${y} L${x} ${top} L${x - 14} ${top} L${x + 34} ${top - 8} L${x + 3} ${top + 3} L${x + 4} ${y} Z`
  return shape(fill, mast)
}

function boat(fill: string, x: number, y: number): Shape {
  const hull = `M${x} ${y} L${x + 62} ${y} L${x + 52} ${y + 12} L${x + 9} ${y + 12} Z`
  return shape(fill, `${hull} M${x + 30} ${y} L${x + 30} ${y - 24} L${x + 48} ${y - 4} Z`)
}

function leaf(fill: string, x: number, height: number): Shape {
  const middle = 180 - height / 2
  return shape(fill, `M${x} 180 Q${x - 20} ${middle} ${x} ${180 - height} Q${x + 20} ${middle} ${x} 180 Z`)
}

function pool(fill: string, x: number, y: number, width: number): Shape {
  const [left, right] = [x - width / 2, x + width / 2]
  return shape(fill, `M${left} ${y} Q${x} ${y - 5} ${right} ${y} Q${x} ${y + 5} ${left} ${y} Z`, 0.85)
}
