/** The part of jsdom that is used here; it brings no types. */
declare module 'jsdom' {
  export class JSDOM {
    readonly window: Window & typeof globalThis
  }
}
