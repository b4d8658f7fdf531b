import { type UnknownNames, unknownText } from '../kit/input/unknown.ts';
import { listElements } from './negotiation.ts';

const MOST_WARNINGS = 5;
const MOST_FAULTS = 50;

/** How a request wants unknown names handled, from its `Prefer` header, and the unknown names found. */
export class Handling {
  /** True if unknown names are faults (`Prefer: handling=strict`, RFC 7240 section 4.4). */
  readonly isStrict: boolean;
  readonly #warnings: string[] = [];
  #hasReadQuery = false;

  constructor(prefer: string | readonly string[] | undefined) {
    this.isStrict = prefer !== undefined && prefersStrict(prefer);
  }

  /** Records the unknown names that a parser found. */
  note({ of, sentences }: UnknownNames): void {
    if (of === 'parameters') this.#hasReadQuery = true;
    this.#warnings.push(...sentences);
  }

  /** True once a parser has read the query. */
  hasReadQuery(): boolean {
    return this.#hasReadQuery;
  }

  warnings(): readonly string[] {
    return this.#warnings;
  }

  /** A warning header with the first few, if there are any. */
  headers(): Readonly<Record<string, string>> {
    if (this.#warnings.length === 0) return {};
    return { 'Catalogue-Warning': this.#warnings.slice(0, MOST_WARNINGS).join('; ') };
  }
}

/** The first instance of a preference counts (RFC 7240 section 2); its value may be quoted. */
function prefersStrict(prefer: string | readonly string[]): boolean {
  const preferences = listElements(prefer).map((element) => {
    const [name = '', value = ''] = (element.split(';', 1)[0] ?? '').split('=', 2).map((part) => part.trim());
    return { name: name.toLowerCase(), value: value.replace(/^"(.*)"$/, '$1').toLowerCase() };
  });
  return preferences.find(({ name }) => name === 'handling')?.value === 'strict';
}

/** All names in the query, for when no parser has read it. */
export function unreadParameters(query: string): UnknownNames {
  const names = query === '' ? [] : [...new Set(new URLSearchParams(query).keys())];
  const known = names.filter((name) => name !== '').slice(0, MOST_FAULTS);
  return { of: 'parameters', sentences: known.map((name) => unknownText('parameter', name, [])) };
}
