/** The words, numbers and signs of a text, in order. */
export interface Tokens {
  /** The next token, or the one `ahead` after it; empty at the end. Words are in lower case. */
  readonly peek: (ahead?: number) => string;
  /** Skips the next token if it equals `token`; returns whether it did. */
  readonly accept: (token: string) => boolean;
  /** Returns the next token and moves past it. */
  readonly take: () => string;
}

// Any other character is a token that no rule accepts. Whitespace of any width is skipped.
const TOKEN = /\d+|[a-z]+|[^\s\u200b]/gu;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/gu;

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

/** The value of a token of one or two digits, if it is within these bounds. */
export function numberOf(token: string, least: number, most: number): number | undefined {
  if (!/^\d{1,2}$/.test(token)) return undefined;
  const number = Number(token);
  return number >= least && number <= most ? number : undefined;
}
