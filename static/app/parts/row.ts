import { fill, texts } from '../base/texts.js';
import * as format from '../base/format.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { classMap } from '../vendor/lit-html/directives/class-map.js';
import { icon, leader, marks, openingLine, scoreMark } from './parts.js';
import type { Restaurant } from '../base/types.js';

const words = texts.common;

/**
 * A place as a row of a list: one link; only the score is a button of its own where there is `onRate`.
 * @param options.metres from here
 * @param options.extra below its lines
 */
export function row(
  restaurant: Restaurant,
  {
    onRate,
    isSelected = false,
    metres,
    isUnsent = false,
    onHover,
    extra = nothing,
  }: {
    onRate?: () => void;
    isSelected?: boolean;
    metres?: number | undefined;
    isUnsent?: boolean;
    onHover?: (isOver: boolean) => void;
    extra?: unknown;
  } = {},
) {
  const { id, name, cover, avg_rating: means, status, is_suggestion: isPending } = restaurant;
  const kinds = { row: true, selected: isSelected, closed: status === 'closed' };
  const away = metres === undefined ? '' : format.distance(metres);
  const about = [format.kindLine(restaurant), away].filter(Boolean).join(' · ');
  const href = isPending ? `/suggestions?sel=${id}` : `/restaurants/${id}`;
  const link = html`<a class="name" href=${href} data-focus=${`row-${id}`}>${name}</a>`;
  const mark = onRate ? rateButton(restaurant, onRate) : scoreMark(means);
  return html`<li
    class=${classMap(kinds)}
    aria-current=${isSelected ? 'true' : nothing}
    data-row=${isPending ? -id : id}
    @pointerenter=${() => onHover?.(true)}
    @pointerleave=${() => onHover?.(false)}
  >
    ${cover ? html`<img class="thumb" src=${cover.thumbnail_url} width="56" height="56" alt="" loading="lazy" />` : nothing}
    <div class="in">
      ${leader(link, mark)} ${about ? html`<p class="small soft cut">${about}</p>` : nothing}
      <p class="small two">
        ${isPending ? html`<span class="soft">${words.status.suggestion}</span>` : openingLine(restaurant)}
        <span class="marks"
          >${isUnsent ? html`<span class="mark warn">${icon('clock', 14)}${words.unsent}</span>` : nothing}${marks(
            restaurant.mine,
          )}</span
        >
      </p>
      ${extra}
    </div>
  </li>`;
}

const rateButton = ({ name, avg_rating: means }: Restaurant, onRate: () => void) =>
  html`<button
    type="button"
    class="rate"
    aria-label=${fill(words.rateName, { name, now: format.means(means) })}
    @click=${onRate}
  >
    ${scoreMark(means)}
  </button>`;

/** Scrolls the row of a place into view once it is drawn. */
export function showRow(key: number) {
  requestAnimationFrame(() =>
    document.querySelector(`[data-row="${key}"]`)?.scrollIntoView({ block: 'nearest' }),
  );
}
