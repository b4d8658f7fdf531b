import { trust } from './types.js';
import { texts as loaded } from '../texts/texts.js';

/** A text, or its forms for different numbers, by the names of `Intl.PluralRules`. */
export type Text = string | ({ readonly other: string } & Readonly<Partial<Record<string, string>>>);

/** The language of a page for tests; it is a tag that browsers know for this. */
const PSEUDO = 'en-XA';
const LETTERS = 'áƀćđéƒǵĥíĵķłḿńóṕɋŕśťúṽẃẋýź';
// Tests have neither.
const { document: page, navigator: reader } = trust<{
  readonly document?: {
    readonly documentElement: {
      readonly lang: string;
      readonly dir: string;
      readonly dataset: Readonly<Record<string, string>>;
    };
  };
  readonly navigator?: { readonly languages?: readonly string[] };
}>(globalThis);
/** The element of the page that says its language, its direction and the sign of its currency. */
export const root = page?.documentElement ?? { lang: 'en', dir: 'ltr', dataset: {} };

/** The pseudo language changes each word, so that words that stand elsewhere are found. */
const inPseudo = (_: string, text: unknown) =>
  typeof text !== 'string'
    ? text
    : text.toLowerCase().replace(/\{\w+\}|[a-z]/gi, (part) => LETTERS[part.charCodeAt(0) - 97] ?? part);

/** A value within other text, which its own direction must not turn around (Unicode's isolates). */
export const isolated = (text: string) => (root.dir === 'rtl' ? `\u2068${text}\u2069` : text);

/** All words of the app, in the reader's language. They are changed in place when that changes; the module's own objects never are. */
export const texts: typeof loaded = trust(
  JSON.parse(JSON.stringify(loaded), root.lang === PSEUDO ? inPseudo : undefined),
);

/**
 * Returns a function that makes something once for the language of the page, and again when that has changed. The tag is the
 * reader's own where the browser knows a regional form of the language, such as en-GB.
 */
export function inLanguage<Made>(make: (tag: string) => Made): () => Made {
  let [lang, made] = [root.lang, make(regional())];
  return () => {
    if (lang !== root.lang) [lang, made] = [root.lang, make(regional())];
    return made;
  };
}

function regional() {
  const tags = reader?.languages ?? [];
  // The pseudo language has the numbers and dates of the browser, which may have other letters.
  const own =
    root.lang === PSEUDO ? tags[0] : tags.find((tag) => new RegExp(`^${root.lang}-[\\w-]+$`).test(tag));
  // Fields of the browser, maps and the texts themselves have these digits and this calendar.
  return new Intl.Locale(own ?? root.lang, { numberingSystem: 'latn', calendar: 'gregory' }).toString();
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
    return typeof value === 'number' ? number().format(value) : isolated(value);
  });
}
