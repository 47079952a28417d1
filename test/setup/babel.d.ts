// As much of Babel as components.ts uses: neither package has types of its own.
declare module '@babel/core' {
  export function transformAsync(code: string, options: object): Promise<{ code?: string | null } | null>
}
declare module 'babel-preset-solid' {
  const preset: object
  export default preset
}
