import { unknownText } from '../sentences.ts';
import { nearlyNamed } from './nearly.ts';

/** Values of a request by name, which remember the names that were asked for: so the parser itself is the list of them. */
export interface Sent<Value> {
  readonly get: (name: string) => Value | undefined;
  readonly has: (name: string) => boolean;
  /** The names that were sent and not asked for until now, with those of the others that they nearly are. */
  readonly others: () => readonly Other<Value>[];
}

interface Other<Value> {
  readonly name: string;
  readonly value: Value | undefined;
  readonly nearly: readonly string[];
}

/** Names in a request that no parser asked for. */
export interface Unknown {
  readonly of: 'fields' | 'parameters';
  /** A sentence for each. */
  readonly sentences: readonly string[];
}

// Each is compared with all names, and the longest name of ours is far shorter.
const MOST_COMPARED = 50;
const LONGEST_COMPARED = 40;

/** Makes such values. */
export function createSent<Value>(values: ReadonlyMap<string, Value>): Sent<Value> {
  const asked: string[] = [];
  return {
    get: (name) => {
      asked.push(name);
      return values.get(name);
    },
    has: (name) => {
      asked.push(name);
      return values.has(name);
    },
    others: () => {
      const others = [...values.keys()].filter((name) => name !== '' && !asked.includes(name));
      if (others.length === 0) return [];
      const names = new Set(asked);
      return others.slice(0, MOST_COMPARED).map((name) => ({
        name,
        value: values.get(name),
        nearly: name.length > LONGEST_COMPARED ? [] : nearlyNamed(name, names),
      }));
    },
  };
}

// Answers have an object in these, or several; bodies an id in a field of another name, if any.
const OBJECTS: readonly string[] = ['category', 'food_types', 'restaurant'];

/**
 * The fields of a body that were not asked for, but for those that are also `answered`. Of these one counts that cannot
 * have come from an answer: a name or an id in place of an object.
 */
export function unknownFields(values: Sent<unknown>, answered: readonly string[]): Unknown {
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
 * The parameters of a query that were not asked for. Those that are nearly one that was asked for are faults instead: to
 * ignore a misspelt filter is to answer another question.
 */
export function unknownParameters(raw: Sent<unknown>): Unknown & { readonly faults: readonly string[] } {
  const others = raw.others();
  const text = ({ name, nearly }: (typeof others)[number]): string => unknownText('parameter', name, nearly);
  return {
    of: 'parameters',
    faults: others.filter(({ nearly }) => nearly.length > 0).map(text),
    sentences: others.filter(({ nearly }) => nearly.length === 0).map(text),
  };
}
