import { decodeText } from './source.ts';

/** A part of XML: a tag, or text between tags. Names have no prefix of a namespace. */
export type XmlPart =
  | { readonly kind: 'open'; readonly line: number; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly line: number; readonly name: string }
  | { readonly kind: 'text'; readonly line: number; readonly bytes: string }
  | { readonly kind: 'type'; readonly line: number }
  | { readonly kind: 'long'; readonly line: number };

/** The longest tag or text that is read, in bytes. */
const MAX_PART = 1024 * 1024;
const TAG = /^<(\/?)(?:[\w.-]+:)?([\w.-]+)([^]*?)(\/?)>$/;
const ATTRIBUTE = /(?:^|\s)(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
// What has an end of its own; anything else that begins with `<!` is a document type.
const SECTIONS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Reads XML as it arrives, as text with one character for each byte. Tags need not match. */
export class XmlReader {
  #rest = '';
  #line = 1;

  /** The parts that end within what has arrived; with `isEnd` also text at the end. */
  *feed(text: string, isEnd = false): Generator<XmlPart> {
    const source = this.#rest + text;
    let at = 0;
    while (at < source.length) {
      const start = source[at] === '<' ? at : source.indexOf('<', at);
      if (start !== at) {
        // Text goes as far as the next tag.
        if (start < 0 && !isEnd && source.length - at <= MAX_PART) break;
        const end = start < 0 ? source.length : start;
        yield { kind: 'text', line: this.#line, bytes: source.slice(at, end) };
        this.#count(source, at, end);
        at = end;
        continue;
      }
      const section = SECTIONS.find(([opening]) => source.startsWith(opening, at));
      const end = section ? source.indexOf(section[1], at) : endOfTag(source, at);
      if (end < 0) {
        if (source.length - at > MAX_PART) {
          yield { kind: 'long', line: this.#line };
          at = source.length;
        }
        break;
      }
      const behind = end + (section ? section[1].length : 1);
      const part = source.slice(at, behind);
      if (section?.[0] === '<![CDATA[') yield { kind: 'text', line: this.#line, bytes: part.slice(9, -3) };
      else if (!section) yield* this.#tag(part);
      this.#count(source, at, behind);
      at = behind;
    }
    this.#rest = source.slice(at);
  }

  *#tag(part: string): Generator<XmlPart> {
    const line = this.#line;
    const [, slash, name, attributes = '', end] = TAG.exec(part) ?? [];
    if (part.startsWith('<!')) yield { kind: 'type', line };
    else if (name === undefined) yield { kind: 'text', line, bytes: part };
    else {
      if (slash === '') yield { kind: 'open', line, name, attributes };
      if (slash !== '' || end !== '') yield { kind: 'close', line, name };
    }
  }

  #count(source: string, from: number, to: number): void {
    for (let at = source.indexOf('\n', from); at >= 0 && at < to; at = source.indexOf('\n', at + 1))
      this.#line += 1;
  }
}

/** An attribute of a tag, its entities as they stand; undefined if it has none of this name, or one that is not UTF-8. */
export function attributeOf(attributes: string, name: string): string | undefined {
  for (const [, key, double, single] of attributes.matchAll(ATTRIBUTE))
    if (key === name) return decodeText(double ?? single ?? '', false);
  return undefined;
}

/** Where a tag ends: at the first `>` outside quotes; -1 where that has not arrived. */
function endOfTag(source: string, from: number): number {
  const first = source.indexOf('>', from);
  if (first > 0 && !/["'<]/.test(source.slice(from + 1, first))) return first;
  let quote = '';
  for (let at = from + 1; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (quote === '' ? char === '>' : char === quote) {
      if (quote === '') return at;
      quote = '';
    } else if (quote === '' && (char === '"' || char === "'")) quote = char;
    // A `<` within a tag begins another one: this one has no end.
    else if (quote === '' && char === '<') return at - 1;
  }
  return -1;
}
