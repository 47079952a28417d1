import { expect, it } from 'vitest'
import { placesOf } from './places.js'

const placesOfUrls = (...urls: (string | undefined)[]) =>
  placesOf(urls.map((url) => (url === undefined ? {} : { url })))

it('names a server by its host and path, without its query', () => {
  expect(placesOfUrls('https://a.example/mcp?tenant=acme', 'https://b.example/mcp')).toEqual([
    'a.example/mcp',
    'b.example/mcp',
  ])
})

it('tells servers at one path apart by their queries', () => {
  expect(placesOfUrls('https://a.example/mcp?tenant=acme', 'https://a.example/mcp?tenant=umbrella')).toEqual([
    'a.example/mcp?tenant=acme',
    'a.example/mcp?tenant=umbrella',
  ])
})

it('numbers servers whose URLs differ only in a part that may be a secret', () => {
  expect(
    placesOfUrls(
      'https://a.example/mcp?key=9f8e7d6c5b',
      'https://b.example/mcp',
      'https://a.example/mcp?key=1a2b3c4d5e',
    ),
  ).toEqual(['a.example/mcp?key=… (1)', 'b.example/mcp', 'a.example/mcp?key=… (3)'])
})

it('names no server whose URL is not known', () => {
  expect(placesOfUrls(undefined, 'not a url: //', undefined)).toEqual([undefined, expect.any(String), undefined])
})
