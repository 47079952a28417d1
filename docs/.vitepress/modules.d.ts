/** It brings no types, and those of DefinitelyTyped are for another version of markdown-it than that of VitePress. */
declare module 'markdown-it-footnote' {
  import type { MarkdownRenderer } from 'vitepress'

  export default function footnotes(md: MarkdownRenderer): void
}
