import * as format from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import type { Outing } from '../base/types.js';

const words = texts.outing;

/** The reader's day and time as fields have them, such as `2026-01-31T19:30`. */
export function localTime(at: string | number) {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What an outing is called. */
export const nameOf = ({ title }: Outing) => title ?? words.title;

export const winnerOf = ({ state, winner, options }: Outing) =>
  state === 'decided' ? options.find(({ id }) => id === winner) : undefined;

/** How far an outing is, in a few words. */
export function stateText(outing: Outing) {
  const { state, closes_at: end } = outing;
  if (state === 'cancelled') return words.cancelled;
  // The service decides a moment later.
  if (state === 'open' && Date.parse(end) < Date.now()) return words.ending;
  if (state === 'open') return fill(words.ends, { when: format.ago(end) });
  return winnerOf(outing)?.name ?? words.noWinner;
}
