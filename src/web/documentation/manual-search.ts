/** A searchable part of the manual. */
export interface Findable {
  readonly address: string;
  /** The titles of page and part, as one text. */
  readonly title: string;
  readonly text: string;
}

const MOST_WORDS = 10;
const MOST_FOUND = 30;
const BEFORE = 60;
const EXCERPT = 200;

/**
 * The parts that contain all words, those with all of them in the titles first, each with an excerpt of the text around the
 * first word.
 */
export function searchManual(
  parts: readonly Findable[],
  query: string,
): readonly (Findable & { readonly excerpt: string })[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  const hasAll = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  return parts
    .filter(({ title, text }) => hasAll(`${title} ${text}`))
    .toSorted((left, right) => Number(hasAll(right.title)) - Number(hasAll(left.title)))
    .slice(0, MOST_FOUND)
    .map((part) => ({ ...part, excerpt: excerptOf(part.text, words) }));
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places) - BEFORE;
  // From the start of a word to the end of one.
  const from = first <= 0 ? 0 : text.indexOf(' ', first) + 1;
  const cut = text.slice(from, from + EXCERPT);
  const isEnd = from + EXCERPT >= text.length;
  return (from > 0 ? '… ' : '') + (isEnd ? cut : `${cut.slice(0, cut.lastIndexOf(' '))} …`);
}
