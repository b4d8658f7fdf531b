import { propertiesOf } from '../../kit/objects.ts';

/** The language whose texts are complete, by its tag (BCP 47). */
export const ENGLISH = 'en';
const FROM_RIGHT = ['ar', 'fa', 'he', 'ur'];

/** A text of the group `document` with its placeholders filled in; `count` picks among the forms for numbers. */
export type Say = (name: string, values?: Readonly<Record<string, string | number>>) => string;

/** Reads the texts that the service writes into documents from those of a language. Throws for one that is not there. */
export function documentTexts(texts: unknown, tag: string): Say {
  const group = propertiesOf(propertiesOf(texts)?.get('document'));
  const plural = new Intl.PluralRules(tag);
  return (name, values = {}) => {
    const forms = propertiesOf(group?.get(name));
    const text = forms
      ? (forms.get(plural.select(Number(values['count']))) ?? forms.get('other'))
      : group?.get(name);
    if (typeof text !== 'string') throw new Error(`there is no text document.${name} in ${tag}`);
    return text.replace(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ''));
  };
}

/** The direction of a language, as HTML names it. */
export function directionOf(tag: string): 'ltr' | 'rtl' {
  return FROM_RIGHT.includes(tag.split('-')[0] ?? '') ? 'rtl' : 'ltr';
}
