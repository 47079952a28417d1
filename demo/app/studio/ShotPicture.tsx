import { useId } from 'react'
import type { Picture } from '../../shared/render.js'

interface ShotPictureProps {
  readonly picture: Picture
  /** Its outlines alone. */
  readonly isSketch?: boolean
  /** Of a sketch: what is rendered, and which part of it is there, from 0 to 1. */
  readonly rendered?: { readonly picture: Picture; readonly share: number } | undefined
}

/** A picture as the server describes it. It is decoration beside the title of its shot. */
export function ShotPicture({ picture, isSketch = false, rendered }: ShotPictureProps) {
  const id = useId()
  return (
    <svg
      className="picture"
      data-sketch={isSketch || undefined}
      viewBox="0 0 320 180"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      {isSketch ? (
        picture.shapes.map(({ path }) => <path key={path} d={path} />)
      ) : (
        <Painting picture={picture} id={id} />
      )}
      {rendered && (
        <>
          <clipPath id={`${id}-part`}>
            <rect className="rendered" width={320 * rendered.share} height="180" />
          </clipPath>
          <g clipPath={`url(#${id}-part)`}>
            <Painting picture={rendered.picture} id={`${id}-rendered`} />
          </g>
        </>
      )}
    </svg>
  )
}

function Painting({ picture: { sky, shapes }, id }: { picture: Picture; id: string }) {
  return (
    <>
      <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stopColor={sky[0]} />
        <stop offset=".7" stopColor={sky[1]} />
      </linearGradient>
      <rect width="320" height="180" fill={`url(#${id})`} />
      {shapes.map(({ fill, opacity, path }) => (
        <path key={path} d={path} fill={fill} opacity={opacity} />
      ))}
    </>
  )
}
