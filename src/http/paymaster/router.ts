import type { Endpoint, PathFields } from './endpoint.ts'
import { endpoints } from './endpoints.ts'

/** What stands at a path: the calls of one method, which useVp may tell apart, and the fields of the path. */
export type Found = { candidates: readonly [Endpoint, ...Endpoint[]]; path: PathFields }

const routes = endpoints.map((endpoint) => ({ endpoint, segments: endpoint.path.split('/').slice(1) }))

/** Paths are case-insensitive. @returns the methods that are there, where it is not that one */
export function findEndpoint(method: string, path: string): Found | { allowed: readonly string[] } {
  const given = decoded(path)
  const matches = routes.flatMap(({ endpoint, segments }) => {
    const fields = given === undefined ? undefined : match(segments, given)
    return fields === undefined ? [] : [{ endpoint, fields }]
  })
  // A path that is written out comes before one with a field in that place.
  const exact = matches.filter(({ fields }) => Object.keys(fields).length === 0)
  const nearest = exact.length > 0 ? exact : matches
  const [first, ...others] = nearest.filter(({ endpoint }) => endpoint.method === method)
  if (first === undefined) return { allowed: [...new Set(nearest.map(({ endpoint }) => endpoint.method))] }
  return { candidates: [first.endpoint, ...others.map(({ endpoint }) => endpoint)], path: first.fields }
}

/** `undefined` for a path that is badly encoded. */
function decoded(path: string): readonly string[] | undefined {
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function match(segments: readonly string[], given: readonly string[]): PathFields | undefined {
  if (segments.length !== given.length) return undefined
  const fields: { [name: string]: string } = {}
  for (const [index, segment] of segments.entries()) {
    const text = given[index] ?? ''
    if (segment.startsWith('{')) fields[segment.slice(1, -1)] = text
    else if (segment.toLowerCase() !== text.toLowerCase()) return undefined
  }
  return fields
}
