import { z } from 'zod'

/** The shots of the film, by their id. */
export const shots = {
  harbour: { title: 'Harbour at dawn', number: '010', frames: 96 },
  train: { title: 'Night train', number: '020', frames: 120 },
  glasshouse: { title: 'The glasshouse', number: '030', frames: 72 },
  tide: { title: 'Low tide', number: '040', frames: 144 },
} as const

export type ShotId = keyof typeof shots

export const shotIds = Object.keys(shots) as [ShotId, ...ShotId[]]

/** How a render ends; the last two exist to show how errors are told apart. */
export const endings = ['goes well', 'is rejected', 'breaks off'] as const

/** The arguments of `render_shot`. */
export const renderInput = z.object({
  shot: z.enum(shotIds),
  seconds: z.int().min(6).max(60),
  ending: z.enum(endings),
})

const colour = z.string().regex(/^#[0-9a-f]{6}$/)

/** A picture of 320 by 180: a sky from top to bottom, and shapes before it. */
const picture = z.object({
  sky: z.tuple([colour, colour]),
  shapes: z.array(z.object({ fill: colour, opacity: z.number(), path: z.string().regex(/^[MLQAZ0-9 .,-]+$/) })),
})

/** Its `structuredContent`. */
export const renderOutput = z.object({
  shot: z.enum(shotIds),
  take: z.int(),
  frames: z.int(),
  renderedInMs: z.int(),
  picture,
})

export type RenderInput = z.infer<typeof renderInput>
export type Picture = z.infer<typeof picture>
