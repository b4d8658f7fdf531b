import { caseKey, searchText } from '../storage/text.ts';
import { ALL_OTHERS } from './category-map.ts';
import { writtenCell } from './cells.ts';
import { CUISINES } from './cuisines.ts';
import { type SourceEntry, textOf } from './source.ts';

/** A cuisine that is the first one of rows of a file, and their number. */
export interface CuisineCount {
  readonly name: string;
  readonly rows: number;
}

/** The same with the category proposed for it. */
export interface ProposedCuisine extends CuisineCount {
  readonly category: string;
}

// Up to this many need no map.
const FEW_CUISINES = 15;
const MOST_CATEGORIES = 24;
// Of all rows: a category with fewer goes into another one.
const LEAST_SHARE = 1 / 400;
const REST = 'Other';

/** The first cuisines of a file, those of most rows first. */
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
 * A category for each cuisine: the one that a word of its name stands for, else itself. At most 24, those with the
 * most rows, plus one for the rest. Where there are few cuisines, each is a category.
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

/** How many rows each proposed category has, those of most rows first. */
export function rowsByCategory(proposed: readonly ProposedCuisine[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { category, rows } of proposed) sums.set(category, (sums.get(category) ?? 0) + rows);
  return new Map([...sums].toSorted(([, left], [, right]) => right - left));
}

/** The lines of a proposal, a map for an import. Its rest is also for cuisines that the file does not have. */
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
