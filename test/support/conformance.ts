import { HttpError } from '../../src/http/errors.ts';
import { type RouteMatch, allowHeader } from '../../src/http/router.ts';
import { readTarget } from '../../src/http/target.ts';
import { type Description, type Fields, isFields, readDescription } from './description.ts';
import { type SchemaChecker, createSchemaChecker } from './schemas.ts';

/** A response as it went out. */
export interface Exchange {
  readonly method: string;
  /** The request target as sent; a query does not matter. */
  readonly path: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** Absent when the answer broke off before its end. */
  readonly body: Buffer | undefined;
}

/** Lists the faults of a response by a description, one sentence each; none when it is as documented. */
export type Checker = (exchange: Exchange) => readonly string[];

/** A response as the description has it. */
interface Expected {
  readonly content: Fields;
  readonly headers: ReadonlyMap<string, Fields>;
}

/** The statuses that any request may get, whatever its path. */
export const ANYWHERE: readonly number[] = [408, 417, 421, 431];
/** The status that any write may get where there are no accounts; operations may document it with another meaning. */
export const ANY_WRITE = 403;
/** The statuses of a POST whose Idempotency-Key is in use, or was used for another request. */
export const ANY_KEYED: readonly number[] = [409, 422];
/** What is answered, in vain, to a client that has left; mostly nothing of it arrives. */
const GONE = '{"error":"Client went away"}';
/** The status for names that are not known, where a request wants them refused; its text begins so. */
export const ANY_STRICT = 400;
const UNKNOWN_NAME = '{"error":"unknown ';
/** The statuses besides for a request that reaches no operation; 404 and 405 say that it does not. */
export const NOWHERE: readonly number[] = [400, 429, 500];

const JSON_TYPE = 'application/json; charset=utf-8';
// Of the connection, and those that info.description describes once for all answers.
const COMMON_HEADERS = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'content-type',
  'transfer-encoding',
  'content-encoding',
  'vary',
  'catalogue-warning',
  'idempotent-replay',
  'x-content-type-options',
  'referrer-policy',
  'content-security-policy',
  'strict-transport-security',
]);
const READS = new Set(['GET', 'HEAD']);
const WITHOUT_BODY = new Set([204, 302, 304]);
// Elements of an array that are looked at; a list may have 100,000.
const SAMPLE = 200;

const TEXT = { schema: { type: 'string' } };
/** The answer to a broken request, which no operation documents. */
const GENERAL: Expected = {
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  headers: new Map<string, Fields>([
    ['x-request-id', { ...TEXT, required: true }],
    ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after', 'cache-control'].map(
      (name): [string, Fields] => [name, TEXT],
    ),
  ]),
};

let own: Checker | undefined;

/** The faults of a response of the service by static/swagger.yaml. */
export function faultsOf(exchange: Exchange): readonly string[] {
  own ??= createChecker(readDescription());
  return own(exchange);
}

/** A checker by another description. */
export function createChecker(description: Description): Checker {
  const schemas = createSchemaChecker(description);
  return (exchange) => {
    const { method, path, status } = exchange;
    const expected = expectedOf(description, exchange);
    const faults =
      typeof expected === 'string'
        ? [expected]
        : [...headerFaults(exchange, expected, schemas), ...bodyFaults(exchange, expected, schemas)];
    return faults.map((fault) => `${method} ${path} -> ${status}: ${fault}`);
  };
}

/** The documented response with that status there, or the fault that it says nothing of it. */
function expectedOf(description: Description, exchange: Exchange): Expected | string {
  const { method, path, status } = exchange;
  const match = matchOf(description, path);
  const operationId = match?.methods.get(method === 'HEAD' ? 'GET' : method)?.operationId;
  if (operationId === undefined) return generalAnswer(match, method, status);
  const responses = description.operation(operationId).fields['responses'];
  if (isFields(responses) && Object.hasOwn(responses, String(status))) {
    const { content, headers } = description.resolve(responses[String(status)]);
    const named = description.entries(headers).map(([name, header]) => [name.toLowerCase(), header] as const);
    return { content: isFields(content) ? content : {}, headers: new Map(named) };
  }
  return isForAll(exchange) ? GENERAL : `the status is not documented for ${operationId}`;
}

/** Whether a status may be the answer of any operation with such a method. */
function isForAll({ method, status, body }: Exchange): boolean {
  if (status === ANY_WRITE) return !READS.has(method);
  if (ANY_KEYED.includes(status)) return method === 'POST';
  const text = body?.toString() ?? '';
  if (status === ANY_STRICT)
    return method === 'HEAD' || text === '' || text.startsWith(UNKNOWN_NAME) || text === GONE;
  return ANYWHERE.includes(status);
}

function matchOf(description: Description, path: string): RouteMatch | undefined {
  try {
    return description.find(readTarget(path).segments);
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

/** The answers allowed where the description has no operation. */
function generalAnswer(match: RouteMatch | undefined, method: string, status: number): Expected | string {
  if (match === undefined) {
    const isGeneral = status === 404 || isBroken(status);
    return isGeneral ? GENERAL : 'the path is not documented';
  }
  const regular = method === 'OPTIONS' ? 204 : 405;
  if (status !== regular)
    return isBroken(status) ? GENERAL : `${method} is not documented for this path, nor the status for all`;
  const headers = new Map(GENERAL.headers).set('allow', { required: true, schema: allowSchema(match) });
  return { content: status === 204 ? {} : GENERAL.content, headers };
}

function isBroken(status: number): boolean {
  return ANYWHERE.includes(status) || NOWHERE.includes(status);
}

/** The names of all methods in any order, and no more. */
function allowSchema({ methods }: RouteMatch): Fields {
  const text = allowHeader(methods);
  const names = text.split(', ').map((name) => ({ pattern: `\\b${name}\\b` }));
  return { type: 'string', allOf: names, maxLength: text.length };
}

function headerFaults({ headers }: Exchange, expected: Expected, schemas: SchemaChecker): string[] {
  const faults: string[] = [];
  for (const [name, text] of headers) {
    const header = expected.headers.get(name.toLowerCase());
    if (header)
      faults.push(...schemas.textFaults(header['schema'], text).map((fault) => `${name}: ${fault}`));
    else if (!isCommon(name.toLowerCase())) faults.push(`the header ${name} is not documented`);
  }
  const sent = new Set(headers.map(([name]) => name.toLowerCase()));
  for (const [name, header] of expected.headers)
    if (header['required'] === true && !sent.has(name)) faults.push(`the header ${name} is missing`);
  return faults;
}

function isCommon(name: string): boolean {
  return COMMON_HEADERS.has(name) || name.startsWith('access-control-');
}

function bodyFaults(exchange: Exchange, { content }: Expected, schemas: SchemaChecker): readonly string[] {
  const { method, status, headers, body } = exchange;
  if (body === undefined) return [];
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const mayHaveBody = method !== 'HEAD' && !WITHOUT_BODY.has(status);
  if (!mayHaveBody && body.length > 0) return ['there is a body where none may be'];
  // An answer that is sent again has no body where that was not stored ("Repeating a request").
  const isReplay = headers.some(([name]) => name.toLowerCase() === 'idempotent-replay');
  if (type === undefined && isReplay && body.length === 0) return [];
  if (type === undefined) return missingType(content, status, body);
  if (WITHOUT_BODY.has(status)) return ['there is a Content-Type where no body may be'];
  const base = type.split(';', 1)[0] ?? '';
  const media = content[base];
  if (!isFields(media)) return [`the content type "${type}" is not documented`];
  if (base === 'application/json' && type !== JSON_TYPE)
    return [`the content type "${type}" is not ${JSON_TYPE}`];
  return mayHaveBody ? contentFaults(base, body, media['schema'], schemas) : [];
}

function missingType(content: Fields, status: number, body: Buffer): string[] {
  if (body.length > 0) return ['there is a body without a Content-Type'];
  const isDocumented = Object.keys(content).length > 0 && !WITHOUT_BODY.has(status);
  return isDocumented ? ['the documented body is missing'] : [];
}

function contentFaults(
  type: string,
  body: Buffer,
  schema: unknown,
  schemas: SchemaChecker,
): readonly string[] {
  if (type.startsWith('text/')) return schemas.faults(schema, body.toString());
  // A file of no lines is empty.
  const mayBeEmpty = type === 'application/x-ndjson';
  if (type !== 'application/json')
    return body.length === 0 && !mayBeEmpty ? ['the documented body is missing'] : [];
  const value = parsed(body.toString());
  if (value === undefined) return ['the body is no JSON'];
  return schemas.faults(schema, Array.isArray(value) ? value.slice(0, SAMPLE) : value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
