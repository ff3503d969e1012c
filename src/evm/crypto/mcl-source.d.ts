/** The library's own loader as text, embedded by `with { type: 'text' }`. */
declare module 'mcl-wasm/dist/mcl_c.js' {
  const text: string
  export default text
}
