// What the pictures of the README have to be, for the script that takes them and for `npm run docs`.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'

/** Where they are. */
export const PICTURES = 'docs/pictures'

/** How large one may be. */
export const MAX_PICTURE_BYTES = 150_000

/** What of the demo is to be seen. */
const seen = ['demo/app', 'demo/shared', 'demo/styles']

/** @returns {string} a hash of everything of the demo that is to be seen */
export function hashOfDemo() {
  const hash = createHash('sha256')
  for (const folder of seen) {
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
    for (const path of paths.sort()) {
      const file = `${folder}/${path}`
      if (statSync(file).isFile()) hash.update(file).update(readFileSync(file, 'utf8').replaceAll('\r\n', '\n'))
    }
  }
  return hash.digest('hex')
}

/**
 * @param {string} markdown
 * @param {(path: string) => number | undefined} sizeOf a file, in bytes; undefined where there is none
 * @returns {string[]} what is wrong with the pictures of a document
 */
export function checkPictures(markdown, sizeOf) {
  const pictures = [...markdown.matchAll(/<picture>.*?<\/picture>/gs)].map(([picture]) => picture)
  return pictures.flatMap((picture) => {
    const paths = [...picture.matchAll(/\b(?:src|srcset)="([^"]*)"/g)].map(([, path = '']) => path)
    const problems = paths.flatMap((path) => {
      const size = sizeOf(path)
      if (size === undefined) return [`there is no ${path}: npm run pictures.`]
      return size > MAX_PICTURE_BYTES ? [`${path} has ${size} bytes, more than ${MAX_PICTURE_BYTES}.`] : []
    })
    if (!/\balt="[^"]+"/.test(picture)) problems.push(`${paths.at(-1)} has no words for those who cannot see it.`)
    return problems
  })
}
