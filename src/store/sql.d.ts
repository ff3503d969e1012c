/** SQL embedded by `with { type: 'text' }`. */
declare module '*.sql' {
  const text: string
  export default text
}
