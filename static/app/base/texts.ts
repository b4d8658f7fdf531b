import { trust } from './types.js';
import { texts as loaded } from '../texts/texts.js';

/** A text, or its forms for different numbers, by the names of `Intl.PluralRules`. */
export type Text = string | ({ readonly other: string } & Readonly<Partial<Record<string, string>>>);

/** The pseudo language, by the tag that browsers know for one. */
const PSEUDO = 'en-XA';
const LETTERS = 'áƀćđéƒǵĥíĵķłḿńóṕɋŕśťúṽẃẋýź';
// Node, which runs the unit tests, has neither.
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

/** All texts of the app, in the reader's language. Another choice replaces them in place; those of the module stay as they are. */
export const texts: typeof loaded = trust(
  JSON.parse(JSON.stringify(loaded), root.lang === PSEUDO ? inPseudo : undefined),
);

/**
 * Returns a function that makes something once, and again after the page has changed its language. `make` gets a regional tag,
 * such as en-GB, if the browser prefers one.
 */
export function inLanguage<Made>(make: (tag: string) => Made): () => Made {
  let known: { readonly lang: string; readonly made: Made } | undefined;
  return () => {
    const { lang } = root;
    if (known?.lang !== lang) known = { lang, made: make(regional()) };
    return known.made;
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
