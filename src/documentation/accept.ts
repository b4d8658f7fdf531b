/**
 * Whether an Accept header asks for JSON rather than for a page (RFC 9110 section 12.5.1). Equal wishes are the page's,
 * unless JSON is the one that is named.
 */
export function prefersJson(accept = '*/*'): boolean {
  const ranges = accept.split(',').map(readRange);
  const [json, page] = [wishFor('application/json', ranges), wishFor('text/html', ranges)];
  return json.quality > page.quality || (json.quality === page.quality && json.precision > page.precision);
}

interface Range {
  readonly name: string;
  readonly quality: number;
}

interface Wish {
  readonly quality: number;
  /** 2: the type is named; 1: its family is; 0: any type will do. */
  readonly precision: number;
}

function readRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { name, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

function wishFor(type: string, ranges: readonly Range[]): Wish {
  const names = ['*/*', `${type.split('/', 1)[0] ?? ''}/*`, type];
  for (const precision of [2, 1, 0]) {
    const range = ranges.find(({ name }) => name === names[precision]);
    if (range) return { quality: range.quality, precision };
  }
  return { quality: 0, precision: 0 };
}
