import type { QueryFile } from '../storage/statements.ts';
import { allOf } from './terms.ts';

/** How texts with all of some terms are found. */
export interface Plan {
  /** An expression for the index. */
  readonly match: string;
  /** Terms to be looked for in the texts that it finds, as a JSON array. */
  readonly others: string;
}

/** Plans how the texts that have all of these terms are found. */
export type Planner = (terms: readonly string[]) => Plan;

// What stands in no more texts than this is rare: so many are soon read.
const FEW = 300;
// Characters that the index keeps as they are. Of others it takes some for the same, as it does with ς and σ.
const PLAIN = /^[ -~]+$/;

/**
 * The index keeps a list of texts for every three letters, and intersecting many long lists costs more than reading
 * some texts. So a term that is rare is looked up alone, and the others are looked for in the few texts that have it.
 */
export function createPlanner(sql: QueryFile): Planner {
  const countMatches = sql.prepare<{ total: number }>('countMatches');
  // Three letters that are rare make the whole term rare. They are counted no further than needed.
  const isRare = (term: string): boolean =>
    PLAIN.test(term) &&
    trigrams(term).some(
      (trigram) => (countMatches.get({ match: allOf([trigram]), limit: FEW + 1 })?.total ?? 0) <= FEW,
    );
  return (terms) => {
    const rare = terms.length > 1 ? terms.find(isRare) : undefined;
    const isOther = (term: string): boolean => rare !== undefined && term !== rare && PLAIN.test(term);
    return {
      match: allOf(terms.filter((term) => !isOther(term))),
      others: JSON.stringify(terms.filter(isOther)),
    };
  };
}

/** Some of a term's trigrams: those that do not overlap. */
function trigrams(term: string): readonly string[] {
  return term.match(/.{3}/g) ?? [];
}
