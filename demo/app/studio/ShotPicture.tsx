import { useId } from 'react'
import type { Picture } from '../../shared/render.js'

/** A picture as the server describes it; as a sketch, its outlines alone. It is decoration beside the title of its shot. */
export function ShotPicture({ picture: { sky, shapes }, isSketch = false }: { picture: Picture; isSketch?: boolean }) {
  const id = useId()
  return (
    <svg
      className="picture"
      data-sketch={isSketch || undefined}
      viewBox="0 0 320 180"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      {!isSketch && (
        <>
          <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
            <stop offset="0" stopColor={sky[0]} />
            <stop offset=".7" stopColor={sky[1]} />
          </linearGradient>
          <rect width="320" height="180" fill={`url(#${id})`} />
        </>
      )}
      {shapes.map(({ fill, opacity, path }) => (
        <path key={path} d={path} {...(!isSketch && { fill, opacity })} />
      ))}
    </svg>
  )
}
