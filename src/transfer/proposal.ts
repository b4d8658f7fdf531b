import { caseKey, searchText } from '../storage/text.ts';
import { ALL_OTHERS } from './category-map.ts';
import { writtenCell } from './cells.ts';
import { CUISINES } from './cuisines.ts';
import { type SourceEntry, textOf } from './source.ts';

/** A cuisine, and the number of rows in which it comes first. */
export interface CuisineCount {
  readonly name: string;
  readonly rows: number;
}

export interface ProposedCuisine extends CuisineCount {
  readonly category: string;
}

// So few need no map.
const FEW_CUISINES = 15;
const MOST_CATEGORIES = 24;
// A category with a smaller share of the rows goes into another one.
const LEAST_SHARE = 1 / 400;
const REST = 'Other';

/** Counts the first cuisine of each row of a file; the most frequent first. */
export async function countCuisines(entries: AsyncIterable<SourceEntry>): Promise<readonly CuisineCount[]> {
  const counts = new Map<string, { readonly name: string; rows: number }>();
  for await (const entry of entries) {
    if ('fault' in entry || entry.kind !== 'restaurant') continue;
    const name = textOf(entry.fields.get('category'));
    if (name === undefined) continue;
    const count = counts.get(caseKey(name)) ?? { name, rows: 0 };
    count.rows += 1;
    counts.set(caseKey(name), count);
  }
  return [...counts.values()].toSorted((left, right) => right.rows - left.rows);
}

/**
 * Proposes a category for each cuisine: the one that a word of its name belongs to, else the cuisine itself. Only the 24
 * largest categories stay, plus one for the rest. Where there are few cuisines, each is a category.
 */
export function proposeCategories(counts: readonly CuisineCount[]): readonly ProposedCuisine[] {
  if (counts.length <= FEW_CUISINES) return counts.map((count) => ({ ...count, category: count.name }));
  const proposed = counts.map((count) => ({ ...count, category: categoryOf(count.name) }));
  const least = LEAST_SHARE * counts.reduce((sum, { rows }) => sum + rows, 0);
  const large = [...rowsByCategory(proposed)].filter(([, rows]) => rows >= least).slice(0, MOST_CATEGORIES);
  const categories = new Set(large.map(([category]) => category));
  return proposed.map((one) => {
    const [, , within = REST] = CUISINES.find(([category]) => category === one.category) ?? [];
    const otherwise = categories.has(within) ? within : REST;
    return categories.has(one.category) ? one : { ...one, category: otherwise };
  });
}

/** The number of rows of each proposed category, the largest first. */
export function rowsByCategory(proposed: readonly ProposedCuisine[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { category, rows } of proposed) sums.set(category, (sums.get(category) ?? 0) + rows);
  return new Map([...sums].toSorted(([, left], [, right]) => right - left));
}

/** The proposal as lines of a category map. Its last line is also for cuisines that the file does not have. */
export function proposalLines(proposed: readonly ProposedCuisine[]): readonly string[] {
  const rows = proposed.map(({ name, category, rows }) => [name, category, String(rows)]);
  const rest = proposed.some(({ category }) => category === REST) ? [[ALL_OTHERS, REST, '']] : [];
  return [['cuisine', 'category', 'rows'], ...rows, ...rest].map((cells) => cells.map(writtenCell).join(','));
}

function categoryOf(cuisine: string): string {
  const words = searchText(cuisine).split(' ');
  const [category = cuisine] =
    CUISINES.find(([, known]) => known.split(/\s+/).some((word) => words.includes(word))) ?? [];
  return category;
}
