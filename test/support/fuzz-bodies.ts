import fc from 'fast-check';
import type { Fields } from './description.ts';
import { type Forms, formsOf } from './fuzz-forms.ts';
import type { Plan, Shape } from './fuzz-plans.ts';
import { without } from './fuzz-queries.ts';
import { propertiesOf, requiredOf, texts } from './fuzz-values.ts';
import { wrongValues } from './fuzz-wrong-values.ts';
import { FORM_TYPE, type Part, form } from './photos.ts';

/** Changes that break one rule of a good plan. */
export type Break = fc.Arbitrary<(plan: Plan) => Plan>;
/** The answer that a plan must get. */
export type Expected = Plan['expected'];

const TYPES: readonly (readonly [type: string, expected: Expected])[] = [
  ['text/plain', 'refused'],
  ['application/x-www-form-urlencoded', 'refused'],
  ['multipart/form-data; boundary=x', 'refused'],
  ['application/jsonx', 'refused'],
  ['json', 'refused'],
  ['application/json; charset=UTF-8', 'taken'],
  ['Application/JSON', 'taken'],
  ['application/json; charset=iso-8859-1', 'either'],
];
const NO_JSON = [
  '{',
  '{"a":}',
  "{'a':1}",
  '{"a":NaN}',
  '{"name":"a"} x',
  '{"a":1,}',
  '{"a":"\n"}',
  '[1]',
  '[]',
  '"x"',
  'null',
  '1',
  'true',
  '\0',
  '{"a":"\\u12"}',
  '/**/{}',
  '{"a":01}',
  `{"a":${'['.repeat(40)}${']'.repeat(40)}}`,
  `{"a":[${'1,'.repeat(20_001)}1]}`,
];
const NO_TEXT = [
  Buffer.from('{"name":"\xff"}', 'latin1'),
  Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1'),
  Buffer.from('{"name":"x"}', 'utf16le'),
];

/** A change that breaks a rule. */
export function breaking(
  broken: string,
  expected: Expected,
  change: (plan: Plan) => Plan,
): (plan: Plan) => Plan {
  return (plan) => ({ ...change(plan), broken, expected });
}

/** Breaks each property of a JSON body in every way that its schema allows for. */
export function propertyBreaks(body: Fields, flat: (schema: unknown) => Fields): readonly Break[] {
  const required = requiredOf(body);
  return [...propertiesOf(body)].flatMap(([name, schema]) => {
    const isRequired = required.includes(name);
    const wrong = wrongValues(name, flat(schema), isRequired).map(({ rule, values, expected }) =>
      values.map((value) =>
        breaking(
          `${name}: ${rule}`,
          expected,
          withJson((given) => replaced(given, name, value, expected)),
        ),
      ),
    );
    const missing = breaking(
      `${name}: missing`,
      'refused',
      withJson((given) => without(given, [name])),
    );
    return [...wrong, ...(isRequired ? [fc.constant(missing)] : [])];
  });
}

/** Breaks a JSON body as a whole. */
export function jsonBreaks({ operation, bodyIsRequired }: Shape): readonly Break[] {
  const mayLackType: Expected = operation.method === 'PATCH' ? 'taken' : 'refused';
  const types: readonly (readonly [type: string | null, expected: Expected])[] = [
    ...TYPES,
    [null, mayLackType],
  ];
  // Below /api/auth a body has at most 64 KB.
  const long = operation.path.startsWith('/api/auth/') ? 60_000 : 100_000;
  const broken = [...NO_JSON.map((text) => Buffer.from(text)), ...NO_TEXT];
  const odd = ['\ufeff{"name":"a"}', '{"name":"a","name":"b"}', '{"name":"a"}\n\t ', '{"__proto__":1}'];
  return [
    fc.constantFrom(...broken).map((content) => breaking('no JSON object', 'refused', withBytes(content))),
    fc.constantFrom(...odd).map((text) => breaking('odd JSON', 'either', withBytes(Buffer.from(text)))),
    fc.constant(breaking('no body', bodyIsRequired ? 'refused' : 'either', withBytes(Buffer.alloc(0)))),
    fc
      .constantFrom(...types)
      .map(([type, expected]) => breaking(`the type ${String(type)}`, expected, withType(type))),
    fc.oneof(texts(0, 200), fc.constant('y'.repeat(long)), fc.jsonValue()).map((value) =>
      breaking(
        'a surplus field',
        'taken',
        withJson((given) => ({ ...given, surplus: value })),
      ),
    ),
    fc.constant(breaking('prototype keys', 'taken', withJson(withPrototypeKeys))),
  ];
}

/** Breaks a form. */
export function formBreaks({ operation }: Shape): readonly Break[] {
  const { whole: part, ...own } = formsOf(operation.operationId);
  const many = Array.from({ length: 21 }, (): Part => ({ name: 'surplus', content: '1' }));
  const bad: Forms['bad'] = [...own.bad, ['no parts', []], ['too many fields', [part, ...many]]];
  const good: Forms['odd'] = [
    ...own.odd,
    ['a surplus field', [part, { name: 'surplus', content: '1' }]],
    ['a prototype key', [{ name: '__proto__', content: '1' }, part]],
    ['another type', [{ ...part, type: 'text/html' }]],
  ];
  const whole = form(part);
  const bytes: readonly (readonly [rule: string, type: string | null, content: Buffer])[] = [
    ['another type', 'application/json', Buffer.from('{}')],
    ['no type', null, whole],
    ['no boundary', 'multipart/form-data', whole],
    ['another boundary', 'multipart/form-data; boundary=other', whole],
    ['no end', FORM_TYPE, whole.subarray(0, -40)],
    ['no body', FORM_TYPE, Buffer.alloc(0)],
  ];
  return [
    fc.constantFrom(...bad).map(([rule, parts]) => breaking(rule, 'refused', withParts(parts))),
    fc.constantFrom(...good).map(([rule, parts]) => breaking(rule, 'taken', withParts(parts))),
    fc
      .constantFrom(...bytes)
      .map(([rule, type, content]) => breaking(rule, 'refused', withBytes(content, type))),
  ];
}

/** A value that must be accepted replaces the one that was there: a property may need others with it. */
function replaced(all: Fields, name: string, value: unknown, expected: Expected): Fields {
  // The one is looked at only without the other.
  const given = name === 'category_id' ? without(all, ['suggested_category_id']) : all;
  return expected === 'taken' && (given[name] ?? null) === null ? given : { ...given, [name]: value };
}

function withPrototypeKeys(given: Fields): Fields {
  return Object.fromEntries([
    ...Object.entries(given),
    ['__proto__', { polluted: true, is_admin: true }],
    ['constructor', { prototype: { polluted: true } }],
    ['hasOwnProperty', null],
    ['toString', 1],
  ]);
}

function withJson(change: (given: Fields) => Fields): (plan: Plan) => Plan {
  return (plan) => {
    const given = plan.body.kind === 'json' ? plan.body.value : {};
    return { ...plan, body: { kind: 'json', type: 'application/json', value: change(given) } };
  };
}

function withType(type: string | null): (plan: Plan) => Plan {
  return (plan) => {
    const { body } = plan;
    return body.kind === 'json' || body.kind === 'bytes' ? { ...plan, body: { ...body, type } } : plan;
  };
}

function withBytes(content: Buffer, type: string | null = 'application/json'): (plan: Plan) => Plan {
  return (plan) => ({ ...plan, body: { kind: 'bytes', type, content } });
}

function withParts(parts: readonly Part[]): (plan: Plan) => Plan {
  return (plan) => ({ ...plan, body: { kind: 'form', parts } });
}
