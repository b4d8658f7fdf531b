import { unknownText } from '../kit/input/unknown.ts';
import { elementsOf } from './header-lists.ts';

/** Names in a request that its parser did not ask for, or values that are of no use, each as a sentence. */
export interface UnknownNames {
  readonly of: 'fields' | 'parameters';
  readonly sentences: readonly string[];
}

/** How a request wants unknown names to be handled, and those that were found. */
export interface Handling {
  /** Whether they are faults (`Prefer: handling=strict`, RFC 7240 section 4.4). */
  readonly isStrict: boolean;
  /** Notes what a parser found. */
  readonly note: (unknown: UnknownNames) => void;
  /** Whether a parser has read the query. */
  readonly hasReadQuery: () => boolean;
  /** The sentences so far. */
  readonly warnings: () => readonly string[];
}

const MOST_WARNINGS = 5;
const MOST_FAULTS = 50;

/** The handling that a `Prefer` header asks for. */
export function createHandling(prefer: string | readonly string[] | undefined): Handling {
  const found: string[] = [];
  let hasReadQuery = false;
  return {
    isStrict: prefer !== undefined && prefersStrict(prefer),
    note: ({ of, sentences }) => {
      if (of === 'parameters') hasReadQuery = true;
      found.push(...sentences);
    },
    hasReadQuery: () => hasReadQuery,
    warnings: () => found,
  };
}

/** Of several instances of a preference the first one counts (RFC 7240 section 2); its value may be quoted. */
function prefersStrict(prefer: string | readonly string[]): boolean {
  const preferences = elementsOf(prefer).map((element) => {
    const [name = '', value = ''] = (element.split(';', 1)[0] ?? '').split('=', 2).map((part) => part.trim());
    return { name: name.toLowerCase(), value: value.replace(/^"(.*)"$/, '$1').toLowerCase() };
  });
  return preferences.find(({ name }) => name === 'handling')?.value === 'strict';
}

/** The names of a query that no parser reads. */
export function unreadParameters(query: string): UnknownNames {
  const names = query === '' ? [] : [...new Set(new URLSearchParams(query).keys())];
  const known = names.filter((name) => name !== '').slice(0, MOST_FAULTS);
  return { of: 'parameters', sentences: known.map((name) => unknownText('parameter', name, [])) };
}

/** The header for the first of the warnings. */
export function warningHeader(warnings: readonly string[]): Readonly<Record<string, string>> {
  return { 'Catalogue-Warning': warnings.slice(0, MOST_WARNINGS).join('; ') };
}
