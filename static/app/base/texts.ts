import { trust } from './types.js';
import { texts as loaded } from '../texts/texts.js';

/** A text, or its forms for different numbers, by the names of `Intl.PluralRules`. */
export type Text = string | ({ readonly other: string } & Readonly<Partial<Record<string, string>>>);

const LETTERS = 'áƀćđéƒǵĥíĵķłḿńóṕɋŕśťúṽẃẋýź';
// Tests have no document.
const root = 'document' in globalThis ? document.documentElement : { lang: 'en' };

/** The pseudo language changes each word, so that words that stand elsewhere are found. */
const inPseudo = (_: string, text: unknown) =>
  typeof text !== 'string'
    ? text
    : text.toLowerCase().replace(/\{\w+\}|[a-z]/gi, (part) => LETTERS[part.charCodeAt(0) - 97] ?? part);

/** All words of the app, in the reader's language. Its objects stay the same when that changes. */
export const texts: typeof loaded = trust(
  root.lang === 'x-pseudo' ? JSON.parse(JSON.stringify(loaded), inPseudo) : loaded,
);

/**
 * Returns a function that makes something once for the language of the page, and again when that has changed. The tag is the
 * reader's own where the browser knows a regional form of the language, such as en-GB.
 */
export function inLanguage<Made>(make: (tag: string) => Made): () => Made {
  let made: { readonly lang: string; readonly value: Made } | undefined;
  return () => {
    if (made?.lang !== root.lang) made = { lang: root.lang, value: make(regional(root.lang)) };
    return made.value;
  };
}

function regional(lang: string) {
  if (lang === 'x-pseudo') return 'en';
  return navigator.languages.find((tag) => tag.startsWith(`${lang}-`)) ?? lang;
}

const plural = inLanguage((tag) => new Intl.PluralRules(tag));
const number = inLanguage((tag) => new Intl.NumberFormat(tag));

/**
 * A text with its placeholders filled in: `{name}` stands for the value of that name. `count` picks among the forms
 * for different numbers; numbers are written as the reader writes them.
 */
export function fill(text: Text, values: Readonly<Record<string, string | number>>) {
  const { count } = values;
  const form = typeof count === 'number' ? plural().select(count) : 'other';
  const pattern = typeof text === 'string' ? text : (text[form] ?? text.other);
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? number().format(value) : value;
  });
}
