// Footnotes that cite tests are for contributors, who read the pages on GitHub. The site leaves them out.

const definition = /^\[\^(?<name>[^\]]+)\]: (?<text>.*)\n?/gm

/**
 * @param {string} markdown of a page
 * @returns {string} without the footnotes that cite tests, and without the marks that lead to them
 */
export function withoutTests(markdown) {
  const notes = [...markdown.matchAll(definition)].map(({ groups: { name = '', text = '' } = {} }) => ({ name, text }))
  const names = new Set(notes.filter(({ text }) => /\.test\.tsx?\)|\/test\//.test(text)).map(({ name }) => name))
  return markdown
    .replace(definition, (whole, name) => (names.has(name) ? '' : whole))
    .replace(/\[\^([^\]]+)\](?!:)/g, (whole, name) => (names.has(name) ? '' : whole))
}

/**
 * A rule of markdown-it, before all others.
 *
 * @param {{ src: string }} state
 */
export function leaveTestsOut(state) {
  state.src = withoutTests(state.src)
}
