import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Likely } from '../../../src/catalogue/duplicates/traits.ts';
import { Matcher, endOf } from '../../../src/catalogue/duplicates/matcher.ts';
import { type Label, PAIRS } from './places.ts';

type Outcome = 'certain' | 'candidate' | 'nothing';

const ALLOWED: Readonly<Record<Label, readonly Outcome[]>> = {
  same: ['certain'],
  maybe: ['candidate', 'nothing'],
  different: ['candidate', 'nothing'],
  unlike: ['nothing'],
};

/** Pairs of one place that are not certain, by their first names, and why. */
const KNOWN_MISSES: Readonly<Record<string, string>> = {
  'Krogs Fiskerestaurant': 'one compound word against two words of another language',
  'Hill Street Tai Hwa Pork Noodle': 'one name has two more words, and no phone says that they are one',
  Brods: 'a letter less makes another word of a short name',
};
const MOST_MISSES = 6;

const isMiss = ({ label, a }: (typeof PAIRS)[number]): boolean =>
  label === 'same' && Object.hasOwn(KNOWN_MISSES, a.name);

function outcomeOf(known: Likely, asked: Likely): Outcome {
  const matcher = new Matcher();
  matcher.put(1, known);
  const [match] = endOf(matcher.search(asked));
  if (!match) return 'nothing';
  return match.certain ? 'certain' : 'candidate';
}

for (const [label, allowed] of Object.entries(ALLOWED))
  describe(`places that are ${label}: ${allowed.join(' or ')}`, () => {
    for (const { why, a, b } of PAIRS.filter((pair) => pair.label === label && !isMiss(pair)))
      test(`${a.name} / ${b.name} (${why})`, () => {
        const outcomes = [outcomeOf(a, b), outcomeOf(b, a)];
        assert.ok(
          outcomes.every((outcome) => allowed.includes(outcome)),
          outcomes.join(' one way, and the other way '),
        );
      });
  });

test('the known misses are missed, and they are few', () => {
  const names = Object.keys(KNOWN_MISSES);
  assert.ok(names.length <= MOST_MISSES);
  const missed = PAIRS.filter(isMiss).filter(
    ({ a, b }) => outcomeOf(a, b) !== 'certain' || outcomeOf(b, a) !== 'certain',
  );
  assert.deepEqual(
    missed.map(({ a }) => a.name),
    names,
  );
});

test('places that may be the same are mostly found', () => {
  const maybe = PAIRS.filter(({ label }) => label === 'maybe');
  const found = maybe.filter(({ a, b }) => outcomeOf(a, b) === 'candidate');
  assert.ok(found.length >= maybe.length / 2, `${found.length} of ${maybe.length}`);
});

test('every kind of label has its pairs', () => {
  const count = (label: Label): number => PAIRS.filter((pair) => pair.label === label).length;
  assert.ok(PAIRS.length >= 200, 'two hundred pairs');
  assert.ok(count('same') >= 90 && count('different') >= 70 && count('maybe') >= 20 && count('unlike') >= 7);
});
