import type { RequestContext } from './context.ts';
import type { Reply } from './reply.ts';
import { segmentsOf } from './target.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One row of the route table: all that router, permissions and documentation need to know of an operation. */
export interface Route {
  readonly method: Method;
  /** Absolute path; a segment that starts with `:` is a parameter, a last one with `*` takes all segments from there on. */
  readonly pattern: string;
  /** `public`: anyone; `user`: any signed-in user; `catalogueWriter`: users who may write the catalogue; `admin`: administrators. */
  readonly access: 'public' | 'user' | 'catalogueWriter' | 'admin';
  /**
   * On a public route: whether it knows the caller of a valid token. Others may call it, too. `onDemand`: only some requests
   * ask for the caller, and need one.
   */
  readonly knowsCaller?: true | 'onDemand';
  /** On a route that writes: whether it reads parameters of its query. */
  readonly readsQuery?: boolean;
  /** Whether only a session will do, and no API token: for all that manages accounts. */
  readonly needsSession?: boolean;
  readonly body: 'none' | 'json' | 'jsonOrEmpty' | 'multipart';
  /** What to do with a body that is too large, in words. */
  readonly largeBodies?: string;
  /** The class of its rate limit; `files` is for what pages load by the dozen. `auth` also has a smaller body. */
  readonly limit: 'api' | 'auth' | 'files' | 'exempt';
  /** As the description has it. The pages of the web app, which it leaves out, share one. */
  readonly operationId: string;
  readonly handle: (context: RequestContext) => Reply | Promise<Reply>;
}

/** The routes of a path by method, and its parameters by name. */
export interface Match {
  readonly methods: ReadonlyMap<string, Route>;
  readonly parameters: ReadonlyMap<string, string>;
}

interface Node {
  readonly children: Map<string, Node>;
  parameter: Node | undefined;
  /** For all segments from here on. */
  rest: Node | undefined;
  /** Of the parameters on the way to it. */
  names: readonly string[];
  readonly methods: Map<string, Route>;
}

const emptyNode = (): Node => ({
  children: new Map(),
  parameter: undefined,
  rest: undefined,
  names: [],
  methods: new Map(),
});

/**
 * Builds the look-up for a route table. Static segments win over parameters, whatever the order of the table.
 * Throws when two rows share a method and a path, or name the parameters of a path differently.
 */
export function createRouter(routes: readonly Route[]): (segments: readonly string[]) => Match | undefined {
  const root = emptyNode();
  for (const route of routes) add(root, route);
  return (segments) => find(root, segments, 0, []);
}

function add(root: Node, route: Route): void {
  const names: string[] = [];
  let node = root;
  for (const segment of segmentsOf(route.pattern)) {
    if (segment.startsWith(':')) {
      names.push(segment.slice(1));
      node.parameter ??= emptyNode();
      node = node.parameter;
    } else if (segment.startsWith('*')) {
      names.push(segment.slice(1));
      node.rest ??= emptyNode();
      node = node.rest;
    } else {
      const child = node.children.get(segment) ?? emptyNode();
      node.children.set(segment, child);
      node = child;
    }
  }
  if (node.methods.has(route.method) || (node.methods.size > 0 && node.names.join() !== names.join()))
    throw new Error(`two routes for ${route.method} ${route.pattern}`);
  node.names = names;
  node.methods.set(route.method, route);
}

function find(
  node: Node,
  segments: readonly string[],
  index: number,
  values: readonly string[],
): Match | undefined {
  const { methods, names } = node;
  const segment = segments[index];
  if (segment === undefined) {
    const parameters = new Map(names.map((name, at) => [name, values[at] ?? '']));
    return methods.size > 0 ? { methods, parameters } : undefined;
  }
  const child = node.children.get(segment);
  const found =
    (child && find(child, segments, index + 1, values)) ??
    (node.parameter && find(node.parameter, segments, index + 1, [...values, segment]));
  return found ?? (node.rest && find(node.rest, [], 0, [...values, segments.slice(index).join('/')]));
}

/** The value of an `Allow` header for these methods: `HEAD` goes with `GET`, `OPTIONS` with all. */
export function allowHeader(methods: ReadonlyMap<string, unknown>): string {
  const names = [...methods.keys()];
  if (methods.has('GET')) names.push('HEAD');
  return [...names, 'OPTIONS'].join(', ');
}
