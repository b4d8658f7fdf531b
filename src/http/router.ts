import type { RequestContext } from './context.ts';
import type { RateClass } from './limits.ts';
import type { Reply } from './reply.ts';
import { segmentsOf } from './target.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * A credential of a request. `session`, `apiToken` and `metricsToken` are bearer tokens, `link` is a secret in the path,
 * `guest` is in the body or, for reads, in `Authorization`, and the others are in the body.
 */
export type Credential =
  | ('session' | 'apiToken' | 'refreshToken' | 'metricsToken')
  | ('link' | 'guest' | 'invitation' | 'resetLink');

/** One row of the route table: everything that router, permissions, caches and documentation need. */
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
   * The credentials that it accepts. A public route with `session` or `apiToken` reads them only for requests that ask for
   * something of their caller.
   */
  readonly credentials: readonly Credential[];
  /**
   * `public`: caches may store them. `private`: they may not, and the log shows the path only as far as it is the same for
   * everyone. `secret`: also, they are neither stored for an Idempotency-Key, nor compressed: the length could reveal a
   * secret next to text that the caller chose.
   */
  readonly answers: 'public' | 'private' | 'secret';
  /** True if the answers are public, but the path says what a person reads: the log shows it as that of private answers. */
  readonly hidesPath?: true;
  /** On a route that reads: true if a replica cannot answer. Writes need the primary always. */
  readonly needsPrimary?: true;
  /** The rate limit in which it counts. */
  readonly limit: RateClass;
  /**
   * Unknown names in the query are noted before a write and after a read. `read`: also after a write, which reads it.
   * `ignored`: they are meant for others, such as providers and caches.
   */
  readonly query?: 'read' | 'ignored';
  readonly body: 'none' | 'json' | 'jsonOrEmpty' | 'multipart';
  /** The largest body in bytes; default 10 MB. */
  readonly maxBody?: number;
  /** Advice for clients whose body is too large. */
  readonly largeBodies?: string;
  /** True if it does not count among the requests that a client has under way: an event stream, or a check of health. */
  readonly isUncounted?: true;
  /** As in the API description. Pages of the web app, which it omits, share one. */
  readonly operationId: string;
  readonly handle: (context: RequestContext) => Reply | Promise<Reply>;
}

/** The bearer tokens of users: those of their sign-ins, and those of their programs. */
export const SESSION_OR_TOKEN = ['session', 'apiToken'] as const;
/** A route for users, whose answers are for them alone. */
export const FOR_USER = {
  access: 'user',
  credentials: SESSION_OR_TOKEN,
  answers: 'private',
  limit: 'api',
} as const;
/** A route that anyone may read. */
export const PUBLIC_READ = {
  method: 'GET',
  access: 'public',
  credentials: [],
  answers: 'public',
  limit: 'api',
  body: 'none',
} as const;
/** A file that anyone may read; a page may load dozens of them. */
export const PUBLIC_FILE = { ...PUBLIC_READ, limit: 'files', query: 'ignored' } as const;
/** A route about accounts. Its requests have few fields, and mostly need no sign-in. */
export const OF_ACCOUNTS = {
  answers: 'secret',
  limit: 'auth',
  query: 'ignored',
  maxBody: 64 * 1024,
} as const;

/** The routes of a path by method, and its parameters by name. */
export interface RouteMatch {
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
export function createRouter(
  routes: readonly Route[],
): (segments: readonly string[]) => RouteMatch | undefined {
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

function find(node: Node, segments: readonly string[], values: readonly string[]): RouteMatch | undefined {
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

/** A route of a path that is as strict as any of them: a request with another method is treated like a request to it. */
export function strictest(methods: ReadonlyMap<string, Route>): Route | undefined {
  const routes = [...methods.values()];
  return routes.find(({ answers }) => answers !== 'public') ?? routes[0];
}

/** The `Allow` header for these methods: `HEAD` comes with `GET`, `OPTIONS` with all. */
export function allowHeader(methods: ReadonlyMap<string, unknown>): string {
  return [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
