import { fill, texts } from '../base/texts.js';
import { isWide, swap } from './pane.js';
import { selection } from './query.js';
import * as format from '../base/format.js';
import { hasPosition, showNear } from './near.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { mapFault } from './head.js';
import { follow, mountMap, syncMap } from './stage.js';
import { chip, icon, leader, openingLine, scoreMark, swapButton } from '../parts/parts.js';
import { placeBar } from '../parts/place-bar.js';
import { streetsButton } from '../parts/streets.js';
import type { Restaurant, State } from '../base/types.js';

const words = texts.map;

/**
 * The map beside the list with what floats over it; on a phone the button that leads to it.
 * @param list how many places it has, and what it says instead of rows
 */
export function mapPane(state: State, { total, notice }: { total: number | undefined; notice: unknown }) {
  const isFollowing = state.ui.follow !== false;
  const back = total === undefined ? words.list : fill(words.listOf, { total: format.count(total) });
  const { place } = selection(state) ?? {};
  queueMicrotask(() => syncMap(state));
  return html`<section class="stage" aria-label=${words.label}>
    <div class="map" ${ref(mountMap)}></div>
    ${mapFault(state)}
    <div class="follow">${chip(words.follow, isFollowing, () => follow(!isFollowing), 'follow')}</div>
    ${
      hasPosition
        ? html`<button
            type="button"
            class="button only here"
            aria-label=${words.near}
            title=${words.near}
            @click=${showNear}
          >
            ${icon('here')}
          </button>`
        : nothing
    }
    ${state.config ? streetsButton(state.config) : nothing}
    <div class="below">
      ${swapButton('list', back, () => swap(state))}
      ${place || notice === nothing ? peek(place) : html`<div class="box peek phone">${isWide() ? nothing : notice}</div>`}
    </div>
  </section>`;
}

function peek(place: Restaurant | undefined) {
  if (!place) return nothing;
  const { name, id, address, avg_rating: means, is_suggestion: isPending } = place;
  const href = isPending ? `/suggestions?sel=${id}` : `/restaurants/${id}`;
  const kind = format.kindLine(place);
  return html`<article class="box peek" aria-label=${name}>
    ${leader(html`<h2><a href=${href}>${name}</a></h2>`, scoreMark(means))}
    <p class="small soft cut">${[kind, address].filter(Boolean).join(' · ')}</p>
    <p class="small">${openingLine(place)}</p>
    ${isPending ? nothing : placeBar(place)}
  </article>`;
}
