import { type Fields, type Operation, isFields, readDescription } from '../../support/description.ts';
import { createPlans, isSetUp } from '../../support/fuzz-plans.ts';
import { propertiesOf } from '../../support/fuzz-values.ts';
import { inDays } from '../../support/outings.ts';

/** A place of a request that takes a value. */
export interface Spot {
  readonly operation: Operation;
  readonly place: 'path' | 'query' | 'body';
  readonly name: string;
  /** A value that is good there. */
  readonly good: unknown;
  /** The body that the value belongs into. */
  readonly body: Fields;
}

/** A request with something else in one place. */
export interface Probe {
  readonly method: string;
  readonly target: string;
  readonly body: Fields | undefined;
}

/** What may stand behind a good value, or in its stead, so that a database reads it as its own. */
export const INJECTIONS: readonly string[] = [
  `'`,
  `"`,
  '`',
  `\\'`,
  `''`,
  `;`,
  `--`,
  `/*`,
  `')`,
  `"))--`,
  `'))/*`,
  `]`,
  `' || '`,
  `%27`,
  `\u02bc`,
  `＇`,
  `' UNION SELECT NULL, sqlite_version(), password_hash FROM users --`,
  ` UNION ALL SELECT 1,2,3,4,5,6,7 --`,
  `'; DROP TABLE restaurants; --`,
  `; UPDATE users SET is_admin = 1; --`,
  `"); DELETE FROM categories; --`,
  `'; ATTACH DATABASE ':memory:' AS x; --`,
  `'; PRAGMA writable_schema = 1; --`,
  `' AND load_extension('x') --`,
  `' AND length(randomblob(2000000000)) --`,
  ` AND 1=like('A', upper(hex(randomblob(900000000))))`,
  `%`,
  `_`,
  `%' ESCAPE '`,
  `*`,
  `" NEAR "x`,
  `NEAR(a b, 2)`,
  `search_name : x`,
  `{name text} : x`,
  `^x`,
  `a AND`,
  `" OR "`,
  `-x`,
  `(`,
  `a NOT`,
  `"a" + `,
  `$.id`,
  `$[0]`,
  `$."a'b"`,
  `'->>'$.id`,
  `{table}`,
  `:id`,
  `?1`,
  `@id`,
  `1e309`,
  `0x10`,
  `1)`,
  `1,(SELECT 1)`,
  `1) OR (1=1`,
  `id DESC, (SELECT 1)`,
  `(SELECT 1)`,
  `NULL`,
  `'a\u0000'b`,
];

/** Conditions, true and false, that make a difference only to a database that reads them. */
export const PAIRS: readonly (readonly [whenTrue: string, whenFalse: string])[] = [
  [` AND 1=1`, ` AND 1=2`],
  [` OR 1=1`, ` OR 1=2`],
  [`' AND '1'='1`, `' AND '1'='2`],
  [`' OR '1'='1' --`, `' OR '1'='2' --`],
  [`" AND "1"="1`, `" AND "1"="2`],
  [`') AND ('1'='1`, `') AND ('1'='2`],
  [`%' AND 1=1 AND 'a' LIKE 'a`, `%' AND 1=2 AND 'a' LIKE 'a`],
  [`' AND (SELECT 1)=1 /*`, `' AND (SELECT 1)=2 /*`],
];

/** Holds every word of the pairs, so that the search finds it by any of them. */
export const WORDS_OF_PAIRS = 'AND OR 1=1 1=2 "1" "2" a LIKE (SELECT)';

// What another parameter is worth nothing without, though it is not required.
const COMPANIONS: Readonly<Record<string, string>> = { lat: 'lng=2', lng: 'lat=48', radius: 'lat=48&lng=2' };
// Values that must be unique, or that count how often it was tried.
const OWN = ['name', 'address', 'google_place_id', 'username'];

/** The places of all requests in the description, but for those that need another party's service. */
export function injectionSpots(): readonly Spot[] {
  const { shapes } = createPlans(readDescription());
  return shapes
    .filter(({ operation }) => isSetUp(operation))
    .flatMap(({ operation, parameters, body: schema }): Spot[] => {
      const body = exampleOf(operation);
      const given = (['path', 'query'] as const).flatMap((place) =>
        parameters(place).map(({ name, example }) => ({ place, name: String(name), good: example })),
      );
      const names = schema === undefined ? [] : [...propertiesOf(schema).keys()];
      const ofBody = names.map((name) => ({ place: 'body' as const, name, good: body[name] }));
      return [...given, ...ofBody].map((spot) => ({ ...spot, operation, body }));
    });
}

/** What to send in a place: a good value that goes on as `text`. */
export function injected({ operation, name, good }: Spot, text: string): string {
  if (name === 'email') return `${text.replaceAll(/[\s,;:()"[\]\\<>@.]/g, '')}${String(good)}`;
  const base = typeof good === 'string' || typeof good === 'number' ? String(good) : operation.operationId;
  return name === 'website' ? `https://x.example/${text.replaceAll(' ', '/**/')}` : base + text;
}

/** The request with `value` in its place and `id` in its path; `number` sets its body apart from all others. */
export function probeOf(
  { operation, place, name, body }: Spot,
  value: string,
  id: string,
  number: number,
): Probe {
  const text = encodeURIComponent(value);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    place === 'path' && parameter === name ? text : id,
  );
  const query =
    place === 'query' ? `?${[`${name}=${text}`, ...companionsOf(operation, name)].join('&')}` : '';
  const own = OWN.filter((each) => Object.hasOwn(body, each)).map((each): [string, string] => [
    each,
    `${String(body[each])} ${number}`,
  ]);
  const email = Object.hasOwn(body, 'email') ? { email: `person${number}@example.com` } : {};
  // The example is past.
  const at = Object.hasOwn(body, 'at') ? { at: inDays(1) } : {};
  const full = {
    ...body,
    ...Object.fromEntries(own),
    ...email,
    ...at,
    ...(place === 'body' && { [name]: value }),
  };
  return {
    method: operation.method,
    target: path + query,
    body: Object.keys(full).length > 0 ? full : undefined,
  };
}

/** Other parameters, without which one is not read or worth nothing. */
function companionsOf({ parameters }: Operation, name: string): readonly string[] {
  const required = parameters.filter(
    (parameter) =>
      parameter['in'] === 'query' && parameter['required'] === true && parameter['name'] !== name,
  );
  const companion = COMPANIONS[name];
  return [
    ...required.map((parameter) => `${String(parameter['name'])}=${String(parameter['example'])}`),
    ...(companion === undefined ? [] : [companion]),
  ];
}

function exampleOf({ fields }: Operation): Fields {
  const { resolve, entries } = readDescription();
  if (fields['requestBody'] === undefined) return {};
  const media = entries(resolve(fields['requestBody'])['content']).find(
    ([type]) => type === 'application/json',
  );
  const [several] = entries(media?.[1]['examples']).map(([, { value }]) => value);
  const example = several ?? media?.[1]['example'];
  return isFields(example) ? example : {};
}
