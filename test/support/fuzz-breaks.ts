import fc from 'fast-check';
import type { Description, Fields } from './description.ts';
import {
  type Break,
  type Expected,
  breaking,
  formBreaks,
  jsonBreaks,
  propertyBreaks,
} from './fuzz-bodies.ts';
import { type Parameter, type Plan, Raw, type Shape, isPublic, isSetUp } from './fuzz-plans.ts';
import { ownPart, without } from './fuzz-queries.ts';
import { createValues, texts } from './fuzz-values.ts';
import { wrongParameters } from './fuzz-wrong-values.ts';

const BAD_SEGMENTS = ['abc', '0', '-1', '1.5', '1e3', '+1', '0x1', '%201', '9007199254740992', '%EF%BC%91'];
const BAD_PATHS = ['%00', '%2e%2e', '1%2f2', '%ff', '%', '%5c', '%ed%a0%80', '9'.repeat(5_000), '__proto__'];
const BAD_ENCODINGS = ['%zz', '%', '%c3%28', '%ed%a0%80', '%ff', '%u0041', '%c0%af'];
const HEADERS: readonly (readonly [name: string, value: string, expected: Expected])[] = [
  ['X-Padding', 'x'.repeat(17_000), 'refused'],
  ['Expect', 'a miracle', 'refused'],
  ['Accept', 'image/png', 'taken'],
  // Without accounts a write from another page is refused.
  ['Origin', 'https://evil.example', 'either'],
  ['X-HTTP-Method-Override', 'DELETE', 'taken'],
  ['X-Request-Id', '../../{"a":1}', 'taken'],
  ['X-Forwarded-For', 'unknown, 999.1.1.1, ::1', 'taken'],
  ['Content-Encoding', 'gzip', 'either'],
  ['If-None-Match', '"open, W/, *, ""', 'taken'],
  ['Range', 'bytes=999999-', 'either'],
  ['Range', 'bytes=5-1,-', 'taken'],
];

/** Arbitrary plans of a shape that break exactly one rule; `hasAccounts` says whether tokens count. */
export function createBreaks(
  description: Description,
  hasAccounts: boolean,
): (shape: Shape, good: fc.Arbitrary<Plan>) => fc.Arbitrary<Plan> {
  const { flat } = createValues(description);

  function queryBreaks(parameter: Fields): Break[] {
    const [name, schema] = [String(parameter['name']), flat(parameter['schema'])];
    const isAbsent = (value: unknown): boolean =>
      parameter['allowEmptyValue'] === true && String(value).trim() === '';
    const wrong = wrongParameters(schema).map(({ rule, values, expected }) =>
      values.map((value) =>
        breaking(`${name}: ${rule}`, isAbsent(value) ? 'either' : expected, (plan) =>
          withQuery(plan, [name, value]),
        ),
      ),
    );
    const encodings = fc
      .constantFrom(...BAD_ENCODINGS)
      .map((text) =>
        breaking(`${name}: bad encoding`, 'refused', (plan) => withQuery(plan, [name, new Raw(text)])),
      );
    const twice = breaking(`${name}: given twice`, 'refused', (plan) =>
      withQuery(plan, [name, 1], [name, 2]),
    );
    const isMissing = breaking(`${name}: missing`, 'refused', (plan) => withQuery(plan, [name, undefined]));
    const missing = parameter['required'] === true ? [fc.constant(isMissing)] : [];
    return [...wrong, ...missing, encodings, fc.constant(twice)];
  }

  function pathBreaks(parameter: Fields): Break[] {
    const name = String(parameter['name']);
    const isAny = name === 'version';
    return [
      fc.constantFrom(...BAD_SEGMENTS, ...BAD_PATHS).map((segment) =>
        breaking(`${name}: bad`, isAny ? 'either' : 'refused', (plan) => ({
          ...plan,
          path: { ...plan.path, [name]: new Raw(segment) },
        })),
      ),
    ];
  }

  function tokenBreaks({ operation }: Shape): Break[] {
    const token = fc.constantFrom<Plan['token'][]>('none', 'bad');
    const expected = (plan: Plan): Expected => {
      if (!hasAccounts) return 'taken';
      if (!isPublic(operation)) return 'refused';
      // Its token says whose ballot it is, whatever else is asked.
      if (operation.operationId === 'voteByLink') return 'either';
      return ({ some: 'refused', none: 'taken', unknown: 'either' } as const)[ownPart(plan)];
    };
    return [
      token.map((kind) => (plan) => ({
        ...plan,
        token: kind,
        broken: `token: ${kind}`,
        expected: expected(plan),
      })),
    ];
  }

  return (shape, good) => {
    const { body, operation, parameters } = shape;
    const groups = [
      parameters('query').flatMap(queryBreaks),
      parameters('path').flatMap(pathBreaks),
      body ? propertyBreaks(body, flat) : [],
      body ? jsonBreaks(shape) : [],
      shape.isForm ? formBreaks(shape) : [],
      [
        ...tokenBreaks(shape),
        surplusParameters(),
        oddHeaders(shape),
        ...(shape.body || shape.isForm ? [] : [strayBody()]),
      ],
    ].filter((group) => group.length > 0);
    const breaks = fc.oneof(...groups.map((group) => fc.oneof(...group)));
    return fc.tuple(good, breaks).map(([plan, change]) => {
      const broken = change(plan);
      // Refused before anything is looked at.
      return isSetUp(operation) ? broken : { ...broken, expected: 'either' };
    });
  };
}

function withQuery(plan: Plan, ...parameters: readonly Parameter[]): Plan {
  const [[name] = ['']] = parameters;
  const others = plan.query.filter(([given]) => given !== name);
  return { ...plan, query: [...others, ...parameters.filter(([, value]) => value !== undefined)] };
}

function surplusParameters(): Break {
  const names = fc.constantFrom('surplus', '__proto__', 'constructor', 'a[b]', '%00');
  const values = fc.oneof(
    texts(0, 2_000),
    fc.constantFrom(...BAD_ENCODINGS).map((text) => new Raw(text)),
  );
  return fc
    .tuple(names, values)
    .map(([name, value]) =>
      breaking('a surplus parameter', 'taken', (plan) => withMore(plan, [name, value])),
    );
}

function withMore(plan: Plan, parameter: Parameter): Plan {
  return { ...plan, query: [...plan.query, parameter] };
}

function oddHeaders({ operation: { operationId } }: Shape): Break {
  // Metrics without a token are for programs on this machine, for which no proxy speaks.
  const isRefused = (name: string): boolean => operationId === 'getMetrics' && name === 'X-Forwarded-For';
  return fc.constantFrom(...HEADERS).map(([name, value, expected]) =>
    breaking(`the header ${name}`, isRefused(name) ? 'refused' : expected, (plan) => ({
      ...plan,
      // What refuses too many headers does not know the method yet, and sends a body even to HEAD.
      method: plan.operation.method,
      headers: { ...without(plan.headers, [name]), [name]: value },
    })),
  );
}

/** A body where none belongs. */
function strayBody(): Break {
  const content = Buffer.from('{"name": "stray"}');
  const type = fc.constantFrom('application/json', 'text/plain', null);
  return type.map((given) =>
    breaking('a stray body', 'either', (plan) => ({
      ...plan,
      body: { kind: 'bytes', type: given, content },
    })),
  );
}
