import * as format from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import type { Restaurant } from '../base/types.js';
import { marksOf, meansOf } from '../state/places.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { classMap } from '../vendor/lit-html/directives/class-map.js';
import { icon, leader, mark, marks, openingLine, scoreMark } from './parts.js';

const words = texts.common;

export interface RowOptions {
  /** makes the score a button of its own */
  onRate?: () => void;
  isSelected?: boolean;
  /** from here */
  metres?: number | undefined;
  /** where it is, in a few words */
  where?: string;
  isUnsent?: boolean;
  onHover?: (isOver: boolean) => void;
  /** below its lines */
  extra?: unknown;
}

/** Where a place is shown, or what is suggested. */
export const placeHref = ({ id, is_suggestion: isPending }: Pick<Restaurant, 'id' | 'is_suggestion'>) =>
  isPending ? `/suggestions?sel=${id}` : `/restaurants/${id}`;

/** A place as a row: one link, with the score as a button. What is not known of it is said on its page alone. */
export function row(
  place: Restaurant,
  { onRate, isSelected = false, metres, where, isUnsent = false, onHover, extra = nothing }: RowOptions = {},
) {
  const { id, name, cover, status, is_suggestion: isPending } = place;
  const means = isPending ? place.avg_rating : meansOf(place);
  const kinds = { row: true, selected: isSelected, closed: status === 'closed' };
  const away = metres === undefined ? '' : format.distance(metres);
  const about = [where, away, format.kindLine(place)].filter(Boolean).join(' · ');
  const link = html`<a class="name" href=${placeHref(place)} data-focus=${`row-${id}`}>${name}</a>`;
  const score = onRate ? rateButton(name, means, onRate) : means.count === 0 ? nothing : scoreMark(means);
  return html`<li
    class=${classMap(kinds)}
    aria-current=${isSelected ? 'true' : nothing}
    data-row=${isPending ? -id : id}
    @pointerenter=${() => onHover?.(true)}
    @pointerleave=${() => onHover?.(false)}
  >
    ${cover ? html`<img class="thumb" src=${cover.thumbnail_url} width="48" height="48" alt="" loading="lazy" />` : nothing}
    <div class="in">
      ${means.count > 0 ? leader(link, score) : html`<div class="leader plain">${link}${score}</div>`}
      <p class="small about">
        <span class="soft cut">${about}</span>
        ${isPending ? html`<span class="soft">${words.status.suggestion}</span>` : openingLine(place, true)}
        <span class="marks"
          >${isUnsent ? mark('clock', words.unsent, 'warn') : nothing}${isPending ? nothing : marks(marksOf(id))}</span
        >
      </p>
      ${extra}
    </div>
  </li>`;
}

const rateButton = (name: string, means: Restaurant['avg_rating'], onRate: () => void) =>
  html`<button
    type="button"
    class="rate"
    aria-label=${fill(words.rateName, { name, now: format.means(means) })}
    @click=${onRate}
  >
    ${means.count === 0 ? icon('star', 18) : scoreMark(means)}
  </button>`;

/** Scrolls the row of a place into view once it is drawn. */
export function showRow(key: number) {
  requestAnimationFrame(() =>
    document.querySelector(`[data-row="${key}"]`)?.scrollIntoView({ block: 'nearest' }),
  );
}
