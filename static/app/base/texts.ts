import { trust } from './types.js';
import { texts as english } from '../texts/texts.js';

/** A text, or its forms for different numbers, by the names of `Intl.PluralRules`. */
export type Text = string | { readonly one: string; readonly other: string };

const PLURAL = new Intl.PluralRules('en');
const NUMBER = new Intl.NumberFormat();
const LETTERS = 'áƀćđéƒǵĥíĵķłḿńóṕɋŕśťúṽẃẋýź';

/** The pseudo language changes each word, so that words that stand elsewhere are found. */
const inPseudo = (_: string, text: unknown) =>
  typeof text !== 'string'
    ? text
    : text.toLowerCase().replace(/\{\w+\}|[a-z]/gi, (part) => LETTERS[part.charCodeAt(0) - 97] ?? part);

const isPseudo = 'document' in globalThis && document.documentElement.lang === 'x-pseudo';

/** All words of the app. */
export const texts: typeof english = trust(
  isPseudo ? JSON.parse(JSON.stringify(english), inPseudo) : english,
);

/**
 * A text with its placeholders filled in: `{name}` stands for the value of that name. `count` picks among the forms
 * for different numbers; numbers are written as the reader writes them.
 */
export function fill(text: Text, values: Readonly<Record<string, string | number>>) {
  const { count } = values;
  const isMany = typeof count !== 'number' || PLURAL.select(count) !== 'one';
  const pattern = typeof text === 'string' ? text : text[isMany ? 'other' : 'one'];
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? NUMBER.format(value) : value;
  });
}
