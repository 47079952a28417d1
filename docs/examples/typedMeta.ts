declare module 'taskwire' {
  interface Register {
    callMeta: { title: string; batch?: string }
  }
}

export {}
