import { UnreadableFile } from './faults.ts';
import { decodeText } from './source.ts';

/** Called with the parts of XML: tags, their names without the prefix of a namespace, and text between tags. */
interface XmlHandler {
  readonly open: (name: string, attributes: string) => void;
  readonly close: (name: string) => void;
  readonly text: (bytes: string) => void;
}

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
  /** Of the part that is being read. */
  line = 1;
  readonly #handler: XmlHandler;
  #rest = '';

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /**
   * Reads the parts that end within what has arrived; with `isEnd` also text at the end. False once a tag is longer than is read.
   * Throws an UnreadableFile for a document type.
   */
  feed(text: string, isEnd = false): boolean {
    const source = this.#rest + text;
    let at = 0;
    let lineEnd = source.indexOf('\n');
    while (at < source.length) {
      const start = source[at] === '<' ? at : source.indexOf('<', at);
      let next: number;
      if (start !== at) {
        // Text goes as far as the next tag.
        if (start < 0 && !isEnd && source.length - at <= MAX_PART) break;
        next = start < 0 ? source.length : start;
        this.#handler.text(source.slice(at, next));
      } else {
        const isTag = !/[!?]/.test(source.charAt(at + 1));
        const section = isTag ? undefined : SECTIONS.find(([opening]) => source.startsWith(opening, at));
        const end = section ? source.indexOf(section[1], at) : endOfTag(source, at);
        if (end < 0) {
          if (source.length - at > MAX_PART) return false;
          break;
        }
        next = end + (section ? section[1].length : 1);
        if (section?.[0] === '<![CDATA[') this.#handler.text(source.slice(at + 9, end));
        else if (!section) this.#tag(source.slice(at, next));
      }
      for (; lineEnd >= 0 && lineEnd < next; lineEnd = source.indexOf('\n', lineEnd + 1)) this.line += 1;
      at = next;
    }
    this.#rest = source.slice(at);
    return true;
  }

  #tag(tag: string): void {
    if (tag.startsWith('<!')) throw new UnreadableFile('document_type');
    const [, slash, name, attributes = '', end] = TAG.exec(tag) ?? [];
    if (name === undefined) this.#handler.text(tag);
    else {
      if (slash === '') this.#handler.open(name, attributes);
      if (slash !== '' || end !== '') this.#handler.close(name);
    }
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
