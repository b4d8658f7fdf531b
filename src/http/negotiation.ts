import { weightedElementsOf } from './header-lists.ts';

/** A content coding that the service can apply. */
export type Coding = 'br' | 'gzip';

// In the order that decides between equal weights.
const OFFERED: readonly Coding[] = ['br', 'gzip'];
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * The coding that an Accept-Encoding header asks for (RFC 9110 section 12.5.3). Undefined where the body must be sent as
 * it is: no header, one that breaks the grammar, neither coding accepted, or `identity` preferred to both.
 */
export function preferredCoding(header: string | readonly string[] | undefined): Coding | undefined {
  const elements = weightedElementsOf(header);
  const isValid = elements.every(
    ({ name, weight, parameters }) => TOKEN.test(name) && !Number.isNaN(weight) && parameters.length === 0,
  );
  if (!isValid) return undefined;
  const weights = new Map(elements.map(({ name, weight }) => [name === 'x-gzip' ? 'gzip' : name, weight]));
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const wanted = OFFERED.reduce((best, coding) => (weightOf(coding) > weightOf(best) ? coding : best), 'br');
  const weight = weightOf(wanted);
  return weight > 0 && weight >= (weights.get('identity') ?? 0) ? wanted : undefined;
}

/**
 * Whether an Accept header asks for JSON rather than for a page (RFC 9110 section 12.5.1). Of equal weights the page
 * wins, unless JSON is the one that is named.
 */
export function prefersJson(accept = '*/*'): boolean {
  const ranges = weightedElementsOf(accept);
  const preferenceFor = (...names: readonly string[]): { weight: number; precision: number } => {
    const range = names.map((name) => ranges.find((one) => one.name === name)).find((found) => found);
    return { weight: range?.weight ?? 0, precision: range ? names.length - names.indexOf(range.name) : 0 };
  };
  const json = preferenceFor('application/json', 'application/*', '*/*');
  const page = preferenceFor('text/html', 'text/*', '*/*');
  return json.weight > page.weight || (json.weight === page.weight && json.precision > page.precision);
}

/** Whether an Accept header asks for one JSON object a line (NDJSON), which it must name, rather than for JSON. */
export function prefersLines(accept = '*/*'): boolean {
  const weightOf = (name: string): number =>
    weightedElementsOf(accept).find((range) => range.name === name)?.weight ?? 0;
  const lines = weightOf('application/x-ndjson');
  return lines > 0 && lines >= weightOf('application/json');
}
