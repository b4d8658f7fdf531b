import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type RouteMatch, type Method, createRouter } from '../../src/http/router.ts';
import { CHECKOUT } from './checkout.ts';

/** An object of the document by the names of its fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** One operation of the document. */
export interface Operation {
  readonly operationId: string;
  readonly method: Method;
  /** The path template as written, such as `/api/ratings/{id}`. */
  readonly path: string;
  readonly fields: Fields;
  /** Those of the path and its own, resolved. */
  readonly parameters: readonly Fields[];
}

/** The description of the service, read. */
export interface Description {
  readonly document: Fields;
  readonly operations: readonly Operation[];
  readonly operation: (operationId: string) => Operation;
  /** What the segments of a path lead to; the routes have the operationIds and do nothing. */
  readonly find: (segments: readonly string[]) => RouteMatch | undefined;
  /** The object itself, or what its `$ref` points at. Throws when that is no object. */
  readonly resolve: (value: unknown) => Fields;
  /** The resolved values of a map that may be absent, with their names. */
  readonly entries: (map: unknown) => readonly (readonly [string, Fields])[];
}

const FILE = new URL('../../static/swagger.yaml', import.meta.url);
const CACHE = new URL('node_modules/.cache/description/', CHECKOUT);
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const own = describeDocument(await readDocument());

/** The text of static/swagger.yaml. */
export function readDescriptionText(): string {
  return readFileSync(FILE, 'utf8');
}

/** The description in static/swagger.yaml, read once. */
export function readDescription(): Description {
  return own;
}

/** The parsed file. Tests run in many processes, and YAML takes a hundred times as long to read as JSON. */
async function readDocument(): Promise<unknown> {
  const text = readDescriptionText();
  const parsed = new URL(`${createHash('sha256').update(text).digest('hex')}.json`, CACHE);
  if (existsSync(parsed)) return JSON.parse(readFileSync(parsed, 'utf8'));
  const { parse } = await import('yaml');
  const document: unknown = parse(text);
  mkdirSync(CACHE, { recursive: true });
  // Renamed into place, so that no other process reads half of it.
  const half = new URL(`${String(process.pid)}.json`, CACHE);
  writeFileSync(half, JSON.stringify(document));
  renameSync(half, parsed);
  return document;
}

/** Whether `value` is an object with fields; an array is none. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The elements of a list of the document; none when it is absent. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The types that a schema names; none when it allows any. */
export function typesOf({ type }: Fields): readonly string[] {
  return typeof type === 'string' ? [type] : elementsOf(type).map(String);
}

/** The object with other values under the same names; an empty one for what is no object. */
export function mapValues(fields: unknown, change: (value: unknown) => unknown): Fields {
  const entries = Object.entries(isFields(fields) ? fields : {});
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value)]));
}

/** Gives access to a parsed document. Throws when it is none of OpenAPI, or points at nothing. */
export function describeDocument(document: unknown): Description {
  if (!isFields(document) || !isFields(document['paths'])) throw new Error('no OpenAPI document');
  const whole = document;

  function resolve(value: unknown): Fields {
    if (!isFields(value)) throw new Error(`no object in the description: ${JSON.stringify(value)}`);
    const pointer = value['$ref'];
    return typeof pointer === 'string' ? resolve(at(whole, pointer)) : value;
  }

  const entries = (map: unknown): [string, Fields][] =>
    Object.entries(isFields(map) ? map : {}).map(([name, value]) => [name, resolve(value)]);

  const operations = entries(whole['paths']).flatMap(([path, item]) =>
    METHODS.flatMap((method): Operation[] => {
      const fields = item[method.toLowerCase()];
      if (!isFields(fields)) return [];
      const parameters = [...elementsOf(item['parameters']), ...elementsOf(fields['parameters'])];
      const operationId = String(fields['operationId']);
      return [{ operationId, method, path, fields, parameters: parameters.map(resolve) }];
    }),
  );
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]));
  const operation = (operationId: string): Operation => {
    const found = byId.get(operationId);
    if (!found) throw new Error(`no operation ${operationId} in the description`);
    return found;
  };
  return { document, operations, operation, find: createFinder(operations), resolve, entries };
}

/** The pattern of a route for a path template: `/a/{id}` becomes `/a/:id`. */
export function patternOf(template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, ':$1');
}

function createFinder(operations: readonly Operation[]): Description['find'] {
  return createRouter(
    operations.map(({ operationId, method, path }) => ({
      operationId,
      method,
      pattern: patternOf(path),
      access: 'public',
      credentials: [],
      answers: 'public',
      body: 'none',
      limit: 'api',
      handle: () => {
        throw new Error('a description handles nothing');
      },
    })),
  );
}

function at(document: Fields, pointer: string): unknown {
  let found: unknown = document;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isFields(found) || !Object.hasOwn(found, name)) throw new Error(`${pointer} points at nothing`);
    found = found[name];
  }
  return found;
}
