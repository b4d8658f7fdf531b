type Header = string | readonly string[] | undefined;

/** The elements of a header that is a list (RFC 9110 section 5.6.1), sent once or several times; some may be empty. */
export function elementsOf(header: Header): readonly string[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((element) => element.trim());
}

/** All values of a header; `rawHeaders` alternates names and values. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** An element of a list that states preferences. */
interface Weighted {
  /** In lower case. */
  readonly name: string;
  /** From 0 to 1; 1 where none is stated, and NaN for one that breaks the grammar (RFC 9110 section 12.4.2). */
  readonly weight: number;
  /** The parameters except the weight. */
  readonly parameters: readonly string[];
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The elements of such a list, without the empty ones. */
function weightedElementsOf(header: Header): readonly Weighted[] {
  const elements = elementsOf(header).filter((element) => element !== '');
  return elements.map((element) => {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    const at = parameters.findIndex((parameter) => parameter.startsWith('q='));
    const [weight = 'q=1'] = at === -1 ? [] : parameters.splice(at, 1);
    return { name, weight: Number(WEIGHT.exec(weight)?.[1] ?? NaN), parameters };
  });
}

/** A content coding that the service can apply. */
export type Coding = 'br' | 'gzip';

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * The coding that an Accept-Encoding header asks for (RFC 9110 section 12.5.3); of equal weights, brotli. Undefined where
 * the body must be sent as it is: no header, one that breaks the grammar, neither coding accepted, or `identity` preferred
 * to both.
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
 * Whether an Accept header asks for JSON rather than for a page (RFC 9110 section 12.5.1). Of equal weights the page
 * wins, unless only JSON is named.
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

/** Whether an Accept header names one JSON object a line (NDJSON), and does not prefer JSON. */
export function prefersLines(accept = '*/*'): boolean {
  const weightOf = (name: string): number =>
    weightedElementsOf(accept).find((range) => range.name === name)?.weight ?? 0;
  const lines = weightOf('application/x-ndjson');
  return lines > 0 && lines >= weightOf('application/json');
}
