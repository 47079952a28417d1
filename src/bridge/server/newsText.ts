import type { News } from '../wire/messages.js'

const texts = new WeakMap<News, string>()

/** The JSON of news, made once for all readers that get them. */
export function newsText(news: News): string {
  const text = texts.get(news) ?? JSON.stringify(news)
  texts.set(news, text)
  return text
}
