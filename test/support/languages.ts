import { readFileSync, readdirSync } from 'node:fs';
import { CHECKOUT } from './checkout.ts';

const FOLDER = new URL('static/app/texts/', CHECKOUT);
export const ENGLISH = 'en';

type Tree = string | readonly Tree[] | { readonly [name: string]: Tree };

/** The tags of all languages of the app but English. */
export const LANGUAGES = readdirSync(FOLDER)
  .flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? [])
  .filter((tag) => tag !== ENGLISH);

export function textsIn(tag: string): Tree {
  const texts: unknown = JSON.parse(readFileSync(new URL(`${tag}.json`, FOLDER), 'utf8'));
  if (!isTree(texts)) throw new Error(`${tag}.json has something other than texts`);
  return texts;
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null && Object.values(value).every(isTree));

/** What is missing in the texts of a language, and what is wrong with them, by the way to each. */
export interface Report {
  readonly missing: readonly string[];
  readonly faults: readonly string[];
}

/** The forms of a text for what the reader did, and for what someone else did. */
const PERSONS = 'other,you';
const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other'];

const isForms = (tree: Tree): tree is Readonly<Record<string, string>> =>
  typeof tree === 'object' && 'other' in tree && Object.keys(tree).every((name) => FORMS.includes(name));

const placeholdersOf = (tree: Tree): Set<string> =>
  new Set([...JSON.stringify(tree).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));

/** Compares the texts of a language with the English ones. */
export function compare(tag: string, texts = textsIn(tag), english = textsIn(ENGLISH)): Report {
  const missing: string[] = [];
  const faults: string[] = [];
  const wanted = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  const visit = (own: Tree | undefined, model: Tree | undefined, way: string): void => {
    const isGroup = typeof model === 'object' && !isForms(model);
    if (model === undefined) faults.push(`${way} is not in English`);
    else if (isGroup && typeof own !== 'string') {
      const [inner, models] = [new Map(Object.entries(own ?? {})), new Map(Object.entries(model))];
      for (const name of new Set([...models.keys(), ...inner.keys()]))
        visit(inner.get(name), models.get(name), way === '' ? name : `${way}.${name}`);
    } else if (isGroup) faults.push(`${way} must not be a text`);
    else if (own === undefined) missing.push(way);
    else {
      const known = placeholdersOf(model);
      const unknown = [...placeholdersOf(own)].filter((name) => !known.has(name));
      if (unknown.length > 0) faults.push(`${way} has {${unknown.join('}, {')}}, which English lacks`);
      if (typeof own === 'string') {
        const lost = [...known].filter((name) => !placeholdersOf(own).has(name));
        if (lost.length > 0) faults.push(`${way} lacks {${lost.join('}, {')}}`);
        if (typeof model !== 'string' && wanted.length > 1)
          faults.push(`${way} needs the forms ${wanted.join(', ')}`);
      } else {
        const names = Object.keys(own).sort().join();
        const isOfPerson = known.has('who') && names === PERSONS;
        // A time has forms for its hour.
        const isOfNumber = known.has('count') || known.has('time');
        if (!isOfPerson && !(isOfNumber && names === wanted.toSorted().join()))
          faults.push(`${way} needs ${isOfNumber ? `the forms ${wanted.join(', ')}` : 'to be a text'}`);
      }
    }
  };
  visit(texts, english, '');
  return { missing, faults };
}
