/** A content coding that the service can apply. */
export type Coding = 'br' | 'gzip';

// In the order that decides between equal wishes.
const OFFERED: readonly Coding[] = ['br', 'gzip'];
// One element of the list: a coding or `*`, with a weight where there is one.
const ELEMENT = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/**
 * The coding that an Accept-Encoding header asks for (RFC 9110 section 12.5.3), br before gzip where both are as
 * welcome. Undefined where the body is to be sent as it is: no header, one that breaks the grammar, neither coding
 * wanted, or `identity` wanted more than either.
 */
export function preferredCoding(acceptEncoding: string | undefined): Coding | undefined {
  const weights = readWeights(acceptEncoding ?? '');
  if (!weights) return undefined;
  const others = weights.get('*') ?? 0;
  const weightOf = (coding: Coding): number => weights.get(coding) ?? others;
  const wanted = OFFERED.reduce((best, coding) => (weightOf(coding) > weightOf(best) ? coding : best), 'br');
  const weight = weightOf(wanted);
  return weight > 0 && weight >= (weights.get('identity') ?? 0) ? wanted : undefined;
}

/** The weights by coding, or undefined for what is no such list. The last of equal names counts. */
function readWeights(header: string): ReadonlyMap<string, number> | undefined {
  const weights = new Map<string, number>();
  for (const element of header.split(',').map((part) => part.trim())) {
    // The grammar of lists lets elements be empty (section 5.6.1.2).
    if (element === '') continue;
    const [, name = '', weight = '1'] = ELEMENT.exec(element) ?? [];
    if (name === '') return undefined;
    const coding = name.toLowerCase();
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight));
  }
  return weights;
}
