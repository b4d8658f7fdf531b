import fc from 'fast-check';
import { type Fields, typesOf } from './description.ts';
import type { Plan } from './fuzz-plans.ts';
import { numberOf, reference, texts } from './fuzz-values.ts';

/** Values that break one rule of a schema. */
export interface Wrong {
  readonly rule: string;
  readonly values: fc.Arbitrary<unknown>;
  readonly expected: Plan['expected'];
}

// Text that is neither trimmed nor sanitised, in which a control character is one like any other.
const EXACT = ['email', 'password', 'refresh_token', 'website', 'status'];
const OF_TYPES: readonly (readonly [names: readonly string[], value: unknown])[] = [
  [['string'], 'word'],
  [['integer', 'number'], 7],
  [['boolean'], true],
  [['array'], [1]],
  [['object'], { a: 1 }],
];

/** What JSON values break rules of the schema of a property, one at a time. */
export function wrongValues(name: string, fields: Fields, isRequired: boolean): readonly Wrong[] {
  const types = typesOf(fields);
  const others = OF_TYPES.filter(([names]) => !names.some((type) => types.includes(type)));
  return [
    refused('another type', ...others.map(([, value]) => value)),
    // Absent and null are the same where the service asks for no more.
    ...(types.includes('null') ? [] : [{ ...refused('null', null), expected: nullIs(isRequired) }]),
    ...(types.includes('integer') ? [refused('a fraction', 1.5)] : []),
    ...outOfRange(fields),
    ...(types.includes('array') ? wrongLists(fields) : []),
    ...(types.includes('string') ? wrongTexts(name, fields) : []),
  ];
}

function nullIs(isRequired: boolean): Plan['expected'] {
  return isRequired ? 'refused' : 'either';
}

/** What texts break the rules of the schema of a parameter. */
export function wrongParameters(fields: Fields): readonly Wrong[] {
  const types = typesOf(fields);
  if (types.includes('string') && fields['enum'] === undefined) return longOrEmpty(fields);
  const words = ['word', '', ' ', '0x10', '1e999', 'NaN', '1 2', '١', '--1', "1'--", '%00', 'null', '[1]'];
  const tooMany = fields['maxItems'];
  return [
    refused('another type', ...words),
    ...outOfRange(fields),
    ...(types.includes('array') ? [refused('wrong elements', '1,,2', '1,x', '0', '-1', '1.5', ',')] : []),
    ...(typeof tooMany === 'number'
      ? [
          refused(
            'too many',
            Array(tooMany + 1)
              .fill(1)
              .join(),
          ),
        ]
      : []),
  ];
}

function outOfRange(fields: Fields): Wrong[] {
  const [min, max] = [numberOf(fields, 'minimum', NaN), numberOf(fields, 'maximum', NaN)];
  const step = typesOf(fields).includes('integer') ? 1 : 1e-4;
  const above = fields['exclusiveMinimum'];
  const low = typeof above === 'number' ? [above, -1] : [min - step, min - 1_000];
  const wrong = [...low, max + step, max * 2 + 1].filter((value) => !Number.isNaN(value));
  return wrong.length === 0 ? [] : [refused('out of range', ...wrong)];
}

function wrongLists(fields: Fields): Wrong[] {
  const length = numberOf(fields, 'maxItems', 0) + 1;
  const tooMany = fc.array(reference('food-types'), { minLength: length, maxLength: length });
  return [
    among('too many', tooMany),
    refused('wrong elements', ['x'], [0], [1.5], [null], [[1]], [2 ** 53], [{}]),
  ];
}

function wrongTexts(name: string, fields: Fields): Wrong[] {
  const isEnum = fields['enum'] !== undefined;
  const isExact = EXACT.includes(name);
  const control = refused('control characters', 'a\u0000b\u0007\u009f c\u001b[31m and more');
  // The text besides them is no day, no name of a zone and none of few words.
  const mayRefuse = isEnum || isExact || typeof fields['pattern'] === 'string' || name === 'time_zone';
  const blank = refused('blank', '   ', '\t\n', '\u0000 ');
  return [
    ...(isEnum ? [refused('an unknown word', 'word', 'ACTIVE', 'pending ', '')] : longOrEmpty(fields)),
    ...(typeof fields['pattern'] === 'string'
      ? [refused('against the pattern', 'word', 'ftp://a.example')]
      : []),
    ...(numberOf(fields, 'minLength', 0) > 0 && !isExact ? [blank] : []),
    refused('a lone surrogate', 'enough text \ud800 of it', '\udc00\ud800 enough text'),
    { ...control, expected: mayRefuse ? 'either' : 'taken' },
  ];
}

function longOrEmpty(fields: Fields): Wrong[] {
  const max = numberOf(fields, 'maxLength', 0);
  const tooLong = [max + 1, max + 700].map((length) => texts(length, length));
  return [
    ...(max > 0 ? [among('too long', fc.oneof(...tooLong))] : []),
    ...(numberOf(fields, 'minLength', 0) > 0 ? [refused('empty', '')] : []),
  ];
}

function refused(rule: string, ...values: readonly unknown[]): Wrong {
  return among(rule, fc.constantFrom(...values));
}

function among(rule: string, values: fc.Arbitrary<unknown>): Wrong {
  return { rule, values, expected: 'refused' };
}
