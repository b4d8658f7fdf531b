/** The elements of a header that is a list (RFC 9110 section 5.6.1), sent once or several times; some may be empty. */
export function elementsOf(header: string | readonly string[] | undefined): readonly string[] {
  return header === undefined
    ? []
    : String(header)
        .split(',')
        .map((element) => element.trim());
}

/** An element of a list that states preferences. */
export interface Weighted {
  /** In lower case. */
  readonly name: string;
  /** From 0 to 1; 1 where none is stated, and NaN for one that breaks the grammar (RFC 9110 section 12.4.2). */
  readonly weight: number;
  /** The parameters but for the weight. */
  readonly parameters: readonly string[];
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The elements of such a list, without the empty ones. */
export function weightedElementsOf(header: string | readonly string[] | undefined): readonly Weighted[] {
  const elements = elementsOf(header).filter((element) => element !== '');
  return elements.map((element) => {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    const at = parameters.findIndex((parameter) => parameter.startsWith('q='));
    const [weight = 'q=1'] = at === -1 ? [] : parameters.splice(at, 1);
    return { name, weight: Number(WEIGHT.exec(weight)?.[1] ?? NaN), parameters };
  });
}

/** All values of a header; `rawHeaders` alternates names and values. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
