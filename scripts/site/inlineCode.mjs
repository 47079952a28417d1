// Code in a sentence, and commands, which are shown in whole: a line breaks between words, and not at the hyphens of `--origin`.

/** A longer word may break at its hyphens, or it would be wider than a phone; before that, after a dot, a slash or a parenthesis. */
const MAX_WHOLE = 22

/**
 * @param {{ renderer: { rules: { code_inline?: Rule | undefined } } }} md
 *
 * @typedef {(tokens: any[], index: number, options: any, env: any, self: any) => string} Rule
 */
export function keepHyphens(md) {
  const { code_inline: render } = md.renderer.rules
  if (render === undefined) return
  md.renderer.rules.code_inline = (...rest) => render(...rest).replace(/(?<=>)[^<>]+(?=<)/, wholeWords)
}

/**
 * A date in a sentence, such as that of a revision, does not break at its hyphens either.
 *
 * @param {{ renderer: { rules: { text?: Rule | undefined } } }} md
 */
export function keepDates(md) {
  const { text: render } = md.renderer.rules
  if (render === undefined) return
  md.renderer.rules.text = (...rest) =>
    render(...rest).replace(/\b\d{4}-\d\d-\d\d\b/g, '<span class="whole-word">$&</span>')
}

/** The same in a block of commands, whose words the highlighter has coloured, each with the space before it. */
export const keepOptions = {
  /**
   * @this {{ options: { lang: string } }}
   * @param {{ children: any[] }} span of HTML
   */
  span(span) {
    const [text] = span.children
    if (this.options.lang !== 'sh' || text?.type !== 'text') return
    const [, space = '', word = ''] = /^(\s*)(\S+-\S*)$/.exec(text.value) ?? []
    if (word === '' || word.length > MAX_WHOLE) return
    span.children = [
      { type: 'text', value: space },
      {
        type: 'element',
        tagName: 'span',
        properties: { class: 'whole-word' },
        children: [{ type: 'text', value: word }],
      },
    ]
  },
}

/**
 * @param {string} code as HTML
 * @returns {string} the same, where no line breaks in a word that has a hyphen, and a long word breaks between its parts
 */
export function wholeWords(code) {
  // The `--` of npm stays with the option that it is for.
  return code.replace(/(?:-- (?=--))?\S+/g, (word) => {
    if (word.length > MAX_WHOLE) return word.replace(/(?<=\w[./(]+)(?=\w)/g, '<wbr>')
    return word.includes('-') ? `<span class="whole-word">${word}</span>` : word
  })
}
