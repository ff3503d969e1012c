/** A script embedded by `with { type: 'text' }`. */
declare module '*.es5.js' {
  const text: string
  export default text
}
