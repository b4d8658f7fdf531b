import * as format from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import type { Restaurant } from '../base/types.js';
import { marksOf, meansOf } from '../state/places.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { classMap } from '../vendor/lit-html/directives/class-map.js';
import { icon, leader, marks, openingLine, scoreMark } from './parts.js';

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

/**
 * A place as a row of a list: one link, with the score as a button of its own. What is not known of it is not said
 * here, but on its page.
 */
export function row(
  place: Restaurant,
  { onRate, isSelected = false, metres, where, isUnsent = false, onHover, extra = nothing }: RowOptions = {},
) {
  const { id, name, cover, status, is_suggestion: isPending } = place;
  const means = isPending ? place.avg_rating : meansOf(place);
  const kinds = { row: true, selected: isSelected, closed: status === 'closed' };
  const away = metres === undefined ? '' : format.distance(metres);
  const about = [where, away, format.kindLine(place)].filter(Boolean).join(' · ');
  const href = isPending ? `/suggestions?sel=${id}` : `/restaurants/${id}`;
  const link = html`<a class="name" href=${href} data-focus=${`row-${id}`}>${name}</a>`;
  const mark = onRate ? rateButton(name, means, onRate) : means.count === 0 ? nothing : scoreMark(means);
  return html`<li
    class=${classMap(kinds)}
    aria-current=${isSelected ? 'true' : nothing}
    data-row=${isPending ? -id : id}
    @pointerenter=${() => onHover?.(true)}
    @pointerleave=${() => onHover?.(false)}
  >
    ${cover ? html`<img class="thumb" src=${cover.thumbnail_url} width="48" height="48" alt="" loading="lazy" />` : nothing}
    <div class="in">
      ${means.count > 0 ? leader(link, mark) : html`<div class="leader plain">${link}${mark}</div>`}
      <p class="small about">
        <span class="soft cut">${about}</span>
        ${isPending ? html`<span class="soft">${words.status.suggestion}</span>` : openingLine(place, true)}
        <span class="marks"
          >${isUnsent ? unsentMark() : nothing}${isPending ? nothing : marks(marksOf(id))}</span
        >
      </p>
      ${extra}
    </div>
  </li>`;
}

const unsentMark = () =>
  html`<span class="mark warn" title=${words.unsent}
    >${icon('clock', 14)}<span class="vh">${words.unsent}</span></span
  >`;

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
