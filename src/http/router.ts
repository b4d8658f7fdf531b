import type { RequestContext } from './context.ts';
import type { Reply } from './reply.ts';
import { segmentsOf } from './target.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One row of the route table: everything that router, permissions and documentation need. */
export interface Route {
  readonly method: Method;
  /**
   * Absolute path; a segment starting with `:` is a parameter, a final one starting with `*` matches all remaining
   * segments.
   */
  readonly pattern: string;
  /**
   * `public`: anyone; `user`: any signed-in user; `catalogueWriter`: users who may write the catalogue; `admin`:
   * administrators.
   */
  readonly access: 'public' | 'user' | 'catalogueWriter' | 'admin';
  /**
   * On a public route: true if a valid token identifies the caller, who is otherwise optional. `onDemand`: only some
   * requests ask for the caller, and then require one.
   */
  readonly knowsCaller?: true | 'onDemand';
  /** On a route that writes: true if it reads query parameters. */
  readonly readsQuery?: boolean;
  /** True if it accepts sessions only, and no API tokens: for everything that manages accounts. */
  readonly needsSession?: boolean;
  readonly body: 'none' | 'json' | 'jsonOrEmpty' | 'multipart';
  /** Advice for clients whose body is too large. */
  readonly largeBodies?: string;
  /** Rate limit class; `files` is for what pages load by themselves. `auth` also limits the body further. */
  readonly limit: 'api' | 'auth' | 'files' | 'exempt';
  /** As in the API description. Pages of the web app, which it omits, share one. */
  readonly operationId: string;
  readonly handle: (context: RequestContext) => Reply | Promise<Reply>;
}

/** A route that anyone may read. */
export const PUBLIC_READ = { method: 'GET', access: 'public', body: 'none', limit: 'api' } as const;
/** A file that anyone may read; a page may load dozens of them. */
export const PUBLIC_FILE = { ...PUBLIC_READ, limit: 'files' } as const;

/** The routes of a path by method, and its parameters by name. */
export interface Match {
  readonly methods: ReadonlyMap<string, Route>;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The routes whose patterns start with the same segments. */
class Node {
  readonly children = new Map<string, Node>();
  parameter: Node | undefined;
  /** Matches all remaining segments. */
  rest: Node | undefined;
  /** Names of the parameters on the path to this node. */
  names: readonly string[] = [];
  readonly methods = new Map<string, Route>();
}

/**
 * Builds the lookup for a route table. Static segments win over parameters, whatever the order of the table. Throws if
 * two rows share a method and path, or name the parameters of a path differently.
 */
export function createRouter(routes: readonly Route[]): (segments: readonly string[]) => Match | undefined {
  const root = new Node();
  for (const route of routes) add(root, route);
  return (segments) => find(root, segments, []);
}

function add(root: Node, route: Route): void {
  const names: string[] = [];
  let node = root;
  for (const segment of segmentsOf(route.pattern)) {
    if (/^[:*]/.test(segment)) names.push(segment.slice(1));
    if (segment.startsWith(':')) node = node.parameter ??= new Node();
    else if (segment.startsWith('*')) node = node.rest ??= new Node();
    else {
      const child = node.children.get(segment) ?? new Node();
      node.children.set(segment, child);
      node = child;
    }
  }
  if (node.methods.has(route.method) || (node.methods.size > 0 && node.names.join() !== names.join()))
    throw new Error(`two routes for ${route.method} ${route.pattern}`);
  node.names = names;
  node.methods.set(route.method, route);
}

function find(node: Node, segments: readonly string[], values: readonly string[]): Match | undefined {
  const { methods, names, children, parameter, rest } = node;
  const [segment, ...others] = segments;
  if (segment === undefined) {
    const parameters = new Map(names.map((name, at) => [name, values[at] ?? '']));
    return methods.size > 0 ? { methods, parameters } : undefined;
  }
  const child = children.get(segment);
  return (
    (child && find(child, others, values)) ??
    (parameter && find(parameter, others, [...values, segment])) ??
    (rest && find(rest, [], [...values, segments.join('/')]))
  );
}

/** The `Allow` header for these methods: `HEAD` comes with `GET`, `OPTIONS` with all. */
export function allowHeader(methods: ReadonlyMap<string, unknown>): string {
  return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
