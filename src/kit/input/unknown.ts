/** Names in a request that its parser did not ask for. */
export interface UnknownNames {
  readonly of: 'fields' | 'parameters';
  /** A sentence for each. */
  readonly sentences: readonly string[];
}

interface Other<Value> {
  readonly name: string;
  readonly value: Value | undefined;
  readonly nearly: readonly string[];
}

// Each is compared with all names, and the longest name of ours is far shorter.
const MOST_COMPARED = 50;
const LONGEST_COMPARED = 40;

/** Values of a request by name, which remember the names that were asked for: so the parser itself is the list of them. */
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

  /** The names that were sent and not asked for so far, each with the expected names that it resembles. */
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

// Answers have an object in these, or several; bodies an id in a field of another name, if any.
const OBJECTS: readonly string[] = ['category', 'food_types', 'restaurant'];

/**
 * The fields of a body that were not asked for, without those that are also `answered`. One of these counts if it cannot
 * have come from an answer: a name or an id in place of an object.
 */
export function unknownFields(values: Sent<unknown>, answered: readonly string[]): UnknownNames {
  const sentences = values.others().flatMap(({ name, value, nearly }) => {
    if (!answered.includes(name)) return [unknownText('field', name, nearly)];
    const isForeign = [value].flat().some((one) => one !== null && typeof one !== 'object');
    if (!OBJECTS.includes(name) || !isForeign) return [];
    const meant = nearly.find((one) => /_ids?$/.test(one));
    return [unknownText('field', name, []) + (meant === undefined ? '' : `; use ${meant}`)];
  });
  return { of: 'fields', sentences };
}

/**
 * The parameters of a query that were not asked for. Those that resemble an expected one are faults instead: to ignore a
 * misspelt filter is to answer another question.
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

/** The sentence for an unknown name, cut and in ASCII so that it fits into a header, and the names that it resembles. */
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
 * The names that `given` was probably meant to be, only the nearest; none when it is one of them, or resembles none. From
 * the nearest on, names resemble each other that differ in case, `-` and `_`; in a final `s`, `_id` or `_ids`; in one edit
 * (a character inserted, deleted, replaced, or swapped with its neighbour), of a name of 4 characters or more; in two
 * edits, of a name of 8 or more.
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

/** 0 for names that differ least, Infinity for those that do not resemble each other. */
function rankOf(given: string, name: string): number {
  const [left, right] = [folded(given), folded(name)];
  if (left === '') return Infinity;
  if (left === right) return 0;
  const stems = stemsOf(name);
  if (stemsOf(given).some((stem) => stems.includes(stem))) return 1;
  const most = name.length < ONE_EDIT_FROM ? 0 : name.length < TWO_EDITS_FROM ? 1 : 2;
  const edits = editsBetween(left, right, most);
  return edits > most ? Infinity : 1 + edits;
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** The name without each of the endings that it has. */
function stemsOf(name: string): readonly string[] {
  const plain = name.toLowerCase().replaceAll('-', '_');
  return ENDINGS.filter((ending) => plain.endsWith(ending))
    .map((ending) => folded(plain.slice(0, plain.length - ending.length)))
    .filter((stem) => stem !== '');
}

/** The fewest edits that make one text the other (optimal string alignment), or any number above `most`. */
function editsBetween(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return Infinity;
  let before: readonly number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = row > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [before, above] = [above, current];
  }
  return above[right.length] ?? Infinity;
}
