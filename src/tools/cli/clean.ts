/** Text of a server, without what would move the cursor, colour the terminal, forge a line or turn the direction of the text. */
export function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 1000)
}

/** The same for what this command has written in lines of its own. */
export function cleanLines(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/** A value as JSON in which such characters are escaped: the same JSON for whatever parses it. */
export function cleanJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
