import { editsBetween } from '../edits.ts';

/** Names in a request that its parser did not expect. */
export interface UnknownNames {
  readonly of: 'fields' | 'parameters';
  /** One sentence per name. */
  readonly sentences: readonly string[];
}

interface Other<Value> {
  readonly name: string;
  readonly value: Value | undefined;
  readonly nearly: readonly string[];
}

// Each is compared with all expected names, none of which is nearly this long.
const MOST_COMPARED = 50;
const LONGEST_COMPARED = 40;

/**
 * The values of a request by name. It remembers which names were read, so that the parser itself defines the expected
 * ones.
 */
export class Sent<Value> {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #asked: string[] = [];

  constructor(values: ReadonlyMap<string, Value>) {
    this.#values = values;
  }

  get(name: string): Value | undefined {
    this.#asked.push(name);
    return this.#values.get(name);
  }

  has(name: string): boolean {
    this.#asked.push(name);
    return this.#values.has(name);
  }

  /** The names sent but not read so far, each with the expected names it resembles. */
  others(): readonly Other<Value>[] {
    const others = [...this.#values.keys()].filter((name) => name !== '' && !this.#asked.includes(name));
    if (others.length === 0) return [];
    const names = new Set(this.#asked);
    return others.slice(0, MOST_COMPARED).map((name) => ({
      name,
      value: this.#values.get(name),
      nearly: name.length > LONGEST_COMPARED ? [] : nearlyNamed(name, names),
    }));
  }
}

// Responses have one or several objects in these fields; bodies, if anything, an id in a field of another name.
const OBJECTS: readonly string[] = ['category', 'food_types', 'restaurant'];

/**
 * The unread fields of a body and of the objects in it, except those in `answered`. An `answered` field still counts if it
 * cannot come from a response: a name or an id instead of an object.
 */
export function unknownFields(
  values: Sent<unknown>,
  answered: readonly string[],
  inner: ReadonlyMap<string, Sent<unknown>>,
): UnknownNames {
  const within = [...inner].flatMap(([path, sent]) =>
    sent.others().map(({ name, nearly }) =>
      unknownText(
        'field',
        `${path}.${name}`,
        nearly.map((one) => `${path}.${one}`),
      ),
    ),
  );
  const sentences = values.others().flatMap(({ name, value, nearly }) => {
    if (!answered.includes(name)) return [unknownText('field', name, nearly)];
    const isForeign = [value].flat().some((one) => one !== null && typeof one !== 'object');
    if (!OBJECTS.includes(name) || !isForeign) return [];
    const meant = nearly.find((one) => /_ids?$/.test(one));
    return [unknownText('field', name, []) + (meant === undefined ? '' : `; use ${meant}`)];
  });
  return { of: 'fields', sentences: [...sentences, ...within] };
}

/**
 * The unread parameters of a query. Those that resemble an expected one are faults: ignoring a misspelt filter would
 * return the wrong results.
 */
export function unknownParameters(raw: Sent<unknown>): UnknownNames & { readonly faults: readonly string[] } {
  const others = raw.others();
  const text = ({ name, nearly }: (typeof others)[number]): string => unknownText('parameter', name, nearly);
  return {
    of: 'parameters',
    faults: others.filter(({ nearly }) => nearly.length > 0).map(text),
    sentences: others.filter(({ nearly }) => nearly.length === 0).map(text),
  };
}

// A name may be as long as a body.
const LONGEST_NAME = 40;

/** Describes an unknown name, shortened and in ASCII so that it fits into a header, and the names it resembles. */
export function unknownText(noun: 'field' | 'parameter', name: string, nearly: readonly string[]): string {
  const cut = Array.from(name.slice(0, 2 * LONGEST_NAME))
    .slice(0, LONGEST_NAME)
    .join('');
  const meant = nearly.length === 0 ? '' : `; did you mean ${nearly.join(' or ')}?`;
  return `unknown ${noun} ${cut.replace(/[^\x20-\x7e]/gu, '?')}${meant}`;
}

const ENDINGS = ['', 's', '_id', '_ids'];
const ONE_EDIT_FROM = 4;
const TWO_EDITS_FROM = 8;

/**
 * The names that `given` was probably meant to be, only the nearest; empty if it is one of them or resembles none.
 * Names resemble each other, nearest first, if they differ in case, `-` and `_`; in a final `s`, `_id` or `_ids`; by
 * one edit (a character inserted, deleted, replaced, or swapped with its neighbour), from 4 characters; by two edits,
 * from 8.
 */
export function nearlyNamed(given: string, names: Iterable<string>): readonly string[] {
  let nearest: readonly string[] = [];
  let best = Infinity;
  for (const name of names) {
    if (name === given) return [];
    const rank = rankOf(given, name);
    if (rank < best) nearest = [];
    best = Math.min(best, rank);
    if (rank === best && rank < Infinity) nearest = [...nearest, name];
  }
  return nearest;
}

/** Smaller is nearer; Infinity for names that do not resemble each other. */
function rankOf(given: string, name: string): number {
  const [left, right] = [folded(given), folded(name)];
  if (left === '') return Infinity;
  if (left === right) return 0;
  const stems = stemsOf(name);
  if (stemsOf(given).some((stem) => stems.includes(stem))) return 1;
  const most = name.length < ONE_EDIT_FROM ? 0 : name.length < TWO_EDITS_FROM ? 1 : 2;
  return 1 + editsBetween(left, right, most);
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** The name without each ending that it has. */
function stemsOf(name: string): readonly string[] {
  const plain = name.toLowerCase().replaceAll('-', '_');
  return ENDINGS.filter((ending) => plain.endsWith(ending))
    .map((ending) => folded(plain.slice(0, plain.length - ending.length)))
    .filter((stem) => stem !== '');
}
