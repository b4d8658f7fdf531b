type Header = string | readonly string[] | undefined;

/** The elements of a list header (RFC 9110 section 5.6.1), sent once or several times; some may be empty. */
export function listElements(header: Header): readonly string[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((element) => element.trim());
}

/** All values of a header; `rawHeaders` alternates names and values. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** An element of a list of preferences. */
interface Weighted {
  /** In lower case. */
  readonly name: string;
  /** 0 to 1; 1 by default, NaN if it violates the grammar (RFC 9110 section 12.4.2). */
  readonly weight: number;
  /** Parameters other than the weight. */
  readonly parameters: readonly string[];
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The elements of a list of preferences, without empty ones. */
function weightedElementsOf(header: Header): readonly Weighted[] {
  const elements = listElements(header).filter((element) => element !== '');
  return elements.map((element) => {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    const at = parameters.findIndex((parameter) => parameter.startsWith('q='));
    const [weight = 'q=1'] = at === -1 ? [] : parameters.splice(at, 1);
    return { name, weight: Number(WEIGHT.exec(weight)?.[1] ?? NaN), parameters };
  });
}

/** A content coding that the service supports. */
export type Coding = 'br' | 'gzip';

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * The coding that an Accept-Encoding header prefers (RFC 9110 section 12.5.3); brotli if both weigh the same.
 * Undefined if the body must be sent as it is: there is no header, it violates the grammar, it accepts neither coding,
 * or it prefers `identity`.
 */
export function preferredCoding(header: Header): Coding | undefined {
  const elements = weightedElementsOf(header);
  const isValid = elements.every(
    ({ name, weight, parameters }) => TOKEN.test(name) && !Number.isNaN(weight) && parameters.length === 0,
  );
  if (!isValid) return undefined;
  const weights = new Map(elements.map(({ name, weight }) => [name === 'x-gzip' ? 'gzip' : name, weight]));
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const wanted = weightOf('gzip') > weightOf('br') ? 'gzip' : 'br';
  const weight = weightOf(wanted);
  return weight > 0 && weight >= (weights.get('identity') ?? 0) ? wanted : undefined;
}

/**
 * True if an Accept header prefers JSON to a page (RFC 9110 section 12.5.1). The page wins a tie, unless JSON is named
 * more precisely.
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

/** True if an Accept header names NDJSON (one JSON object a line) and does not prefer JSON. */
export function prefersLines(accept = '*/*'): boolean {
  const weightOf = (name: string): number =>
    weightedElementsOf(accept).find((range) => range.name === name)?.weight ?? 0;
  const lines = weightOf('application/x-ndjson');
  return lines > 0 && lines >= weightOf('application/json');
}

// The headers of browsers have less than 100 characters.
const MOST_OF_LANGUAGES = 1_000;
// `*` asks for nothing in particular.
const LANGUAGE_RANGE = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/;

/**
 * The first of the available languages that an Accept-Language header names, by the lookup of RFC 4647 section 3.4: a range
 * loses its last subtags until a language has that tag. A language is also found by its first subtags, so that `pt` finds
 * pt-BR. Elements that violate the grammar are skipped, and so is anything after the first 1,000 characters. Undefined if there
 * is none.
 */
export function preferredLanguage(header: Header, available: readonly string[]): string | undefined {
  const ranges = weightedElementsOf(header?.slice(0, MOST_OF_LANGUAGES)).filter(
    ({ name, weight, parameters }) => LANGUAGE_RANGE.test(name) && weight > 0 && parameters.length === 0,
  );
  for (const { name } of ranges.toSorted((a, b) => b.weight - a.weight))
    for (let subtags = name.split('-'); subtags.length > 0; subtags = shorter(subtags)) {
      const range = subtags.join('-');
      const found =
        available.find((tag) => tag.toLowerCase() === range) ??
        available.find((tag) => tag.toLowerCase().startsWith(`${range}-`));
      if (found !== undefined) return found;
    }
  return undefined;
}

/** Removes the last subtag, together with a subtag of a single character before it. */
function shorter(subtags: readonly string[]): string[] {
  const rest = subtags.slice(0, -1);
  return rest.at(-1)?.length === 1 ? rest.slice(0, -1) : rest;
}
