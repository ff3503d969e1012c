/** 403: a name that is not this machine's, such as one that a web page had resolve to it (DNS rebinding). */
export function refuseForeignHost(request: Request): Response | undefined {
  if (isLoopback(request.headers.get('host') ?? new URL(request.url).host)) return undefined
  return Response.json({ error: 'this listener answers to localhost only' }, { status: 403 })
}

/** Whether a Host header names this machine's loopback interface. */
export function isLoopback(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? ''
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d+){3}$/.test(name)
  )
}
