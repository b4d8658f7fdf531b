// Removed with their content, which is code or markup for another parser.
const DROPPED_WITH_CONTENT = ['script', 'style', 'iframe', 'object', 'embed', 'template'];
// Has no end tag, so its content must not be removed with it.
const VOID_ELEMENT = 'embed';
// Other than tab and newline.
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
// Characters that start markup after a `<` (HTML Standard section 13.2.5.6).
const STARTS_MARKUP = /[a-z/!?]/i;

/**
 * Removes everything an HTML page would interpret: tags, comments and processing instructions, certain elements with
 * their content, and control characters other than tab and newline. Other text (`I <3 it`, `5 < 6 > 4`) stays as
 * typed; nothing is encoded. One pass, in linear time.
 */
export function sanitise(input: string): string {
  const text = input.replace(CONTROLS, '');
  if (!text.includes('<')) return text;
  const skip = createSkipper(text);
  const parts: string[] = [];
  let index = 0;
  while (index < text.length) {
    // A `<` is first added, then removed if markup follows, directly or after removed text.
    if (parts.at(-1) === '<' && STARTS_MARKUP.test(text.charAt(index))) {
      parts.pop();
      index = skip(index);
    } else if (text[index] === '<') {
      parts.push('<');
      index += 1;
    } else {
      const open = text.indexOf('<', index);
      const end = open === -1 ? text.length : open;
      parts.push(text.slice(index, end));
      index = end;
    }
  }
  return parts.join('');
}

/**
 * Returns a function from the position after a `<` to the position after the markup. Markup that never ends loses only
 * its `<`. The last positions of all terminators are found first, so that a search never scans to the end for nothing.
 */
function createSkipper(text: string): (start: number) => number {
  const lastClose = text.lastIndexOf('>');
  const lastCommentEnd = text.lastIndexOf('-->');
  const withoutEndTag = new Set<string>();
  const endOfTag = createTagEnder(text);

  function endOfElement(name: string, from: number): number {
    const endTag = new RegExp(`</${name}(?![a-z0-9-])`, 'gi');
    endTag.lastIndex = from;
    const found = withoutEndTag.has(name) ? null : endTag.exec(text);
    if (found) return endOfTag(found.index + 1) || text.length;
    withoutEndTag.add(name);
    return name === VOID_ELEMENT ? from : text.length;
  }

  return (start) => {
    if (text.startsWith('!--', start) && lastCommentEnd > start) return text.indexOf('-->', start + 1) + 3;
    if (lastClose < start) return start;
    const behindTag = endOfTag(start);
    const beginning = text.slice(start, Math.min(behindTag - 1, start + 10));
    const name = /^[a-z]+/i.exec(beginning)?.[0].toLowerCase() ?? '';
    const whole = /[\s/>]/.test(text.charAt(start + name.length));
    return whole && DROPPED_WITH_CONTENT.includes(name) ? endOfElement(name, behindTag) : behindTag;
  };
}

/**
 * Returns a function from the position after a `<` to the position after the tag's closing `>`, or 0 if there is none.
 * A `>` in a quoted attribute value does not count, unless the quote, or the tag after it, never ends: then the first
 * `>` does.
 */
function createTagEnder(text: string): (start: number) => number {
  // Quotes that turned out not to lead to an end; never tried again, so that the time stays linear.
  const deadEnds = new Set<number>();

  function behindQuotes(start: number): number | undefined {
    const next = />|=\s*["']/g;
    next.lastIndex = start;
    const followed: number[] = [];
    for (let found = next.exec(text); found !== null; found = next.exec(text)) {
      if (found[0] === '>') return next.lastIndex;
      const quote = next.lastIndex - 1;
      const close = deadEnds.has(quote) ? -1 : text.indexOf(text.charAt(quote), quote + 1);
      followed.push(quote);
      if (close === -1) break;
      next.lastIndex = close + 1;
    }
    for (const quote of followed) deadEnds.add(quote);
    return undefined;
  }

  return (start) => {
    const first = text.indexOf('>', start) + 1;
    const isTag = /[a-z]/i.test(text.charAt(text.charAt(start) === '/' ? start + 1 : start));
    return isTag && first > 0 ? (behindQuotes(start) ?? first) : first;
  };
}

// Soft hyphen, zero-width space, word joiner and invisible operators, bidi embeddings, overrides and isolates, the
// byte order mark, and Hangul fillers. In a name they only imitate another name or reverse the text that follows.
// Joiners and direction marks stay: some languages and mixed names need them.
const INVISIBLE = /[\u00ad\u115f\u1160\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\u3164\ufeff\uffa0]/g;

/** Sanitises a name for storage, and removes invisible characters that names never need. */
export function sanitiseName(name: string): string {
  // These go first, since after a `<` they would hide markup.
  return sanitise(name.replace(INVISIBLE, ''));
}

// White space, zero-width characters, and the empty Braille cell.
const BLANK = /^[\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** True if nothing in a text is visible. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
