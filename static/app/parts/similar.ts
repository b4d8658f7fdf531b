import * as format from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import { isSignedIn, mayWrite } from '../state/actions.js';
import { answer } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Match, Means, State } from '../base/types.js';

const words = texts.similar;

// What is longer says no more.
const MOST = 255;
// Metres, which would be shown as 0.
const SAME_SPOT = 5;
const COUNT = '/duplicates?limit=1';

/** The address of the places that look like one of which this much is known. */
export function similarUrl(known: Readonly<Record<string, string | number | null | undefined>>) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(known)) {
    const text = String(value ?? '').trim();
    if (text !== '') query.set(name, text.slice(0, MOST));
  }
  return `/restaurants/similar?${query}`;
}

/** Why two places look like the same one, apart from the distance. */
export const reasonsOf = ({ reasons }: Match) =>
  reasons.flatMap((reason) => (reason === 'near' ? [] : [words.reasons[reason]]));

export const ratedText = ({ overall, count }: Means) =>
  count === 0 ? texts.common.notRated : fill(words.rated, { score: format.score(overall), count });

export const awayText = ({ distance_m: metres }: Match, text: keyof typeof words.distances = 'away') =>
  metres === null
    ? ''
    : metres < SAME_SPOT
      ? words.sameSpot
      : fill(words.distances[text], { distance: format.distance(metres) });

/** The address that `pairsLink` needs. */
export const pairsUrls = (state: State) => (isSignedIn(state) && mayWrite(state) ? [COUNT] : []);

/** A link to the possible duplicates with their number, for users who may merge places. */
export function pairsLink(state: State, kind: string) {
  const { total = 0 } = answer<{ total: number }>(COUNT) ?? {};
  const count = html`<span class="count">${format.count(total)}</span>`;
  return pairsUrls(state).length === 0
    ? nothing
    : html`<a class=${kind} href="/duplicates">${words.title} ${total > 0 ? count : nothing}</a>`;
}
