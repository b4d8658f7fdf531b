import * as format from '../format.js';
import { words } from '../texts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { classMap } from '../vendor/lit-html/directives/class-map.js';
import { icon, leader, marks, openingLine, scoreMark } from './parts.js';

/** @import { Restaurant } from '../types.js' */

/**
 * A place as a row of a list: one link; only the score is a button of its own where there is `onRate`.
 * @param {Restaurant} restaurant
 * @param {object} [options]
 * @param {() => void} [options.onRate]
 * @param {boolean} [options.isSelected]
 * @param {number} [options.metres] from here
 * @param {boolean} [options.isUnsent]
 * @param {(isOver: boolean) => void} [options.onHover]
 * @param {unknown} [options.extra] below its lines
 */
export function row(
  restaurant,
  { onRate, isSelected = false, metres, isUnsent = false, onHover, extra = nothing } = {},
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

/** @param {Restaurant} restaurant @param {() => void} onRate */
const rateButton = ({ name, avg_rating: means }, onRate) =>
  html`<button
    type="button"
    class="rate"
    aria-label=${words.rateName(name, format.means(means))}
    @click=${onRate}
  >
    ${scoreMark(means)}
  </button>`;

/**
 * Scrolls the row of a place into view once it is drawn.
 * @param {number} key
 */
export function showRow(key) {
  requestAnimationFrame(() =>
    document.querySelector(`[data-row="${key}"]`)?.scrollIntoView({ block: 'nearest' }),
  );
}
