/** The words, numbers and signs of a text, read from the first to the last. */
export interface Tokens {
  /** The next one, or one behind it; an empty text at the end. Words are in lower case. */
  readonly peek: (ahead?: number) => string;
  /** Goes on behind the next one, if it is this. */
  readonly accept: (token: string) => boolean;
  /** Returns the next one and goes on behind it. */
  readonly take: () => string;
}

// A character that is none of these is a token that no rule has. Blanks of any width are none.
const TOKEN = /\d+|[a-z]+|[^\s\u200b]/gu;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/gu;

/** Reads a text in one pass. */
export function tokensOf(text: string): Tokens {
  const tokens: readonly string[] = text.toLowerCase().replace(DASHES, '-').match(TOKEN) ?? [];
  let at = 0;
  const peek = (ahead = 0): string => tokens[at + ahead] ?? '';
  return {
    peek,
    accept: (token) => {
      if (peek() !== token) return false;
      at += 1;
      return true;
    },
    take: () => {
      const token = peek();
      at += 1;
      return token;
    },
  };
}

/** The number that a token of one or two digits is, if it lies within these bounds. */
export function numberOf(token: string, least: number, most: number): number | undefined {
  if (!/^\d{1,2}$/.test(token)) return undefined;
  const number = Number(token);
  return number >= least && number <= most ? number : undefined;
}
