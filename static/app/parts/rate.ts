import { fill, texts } from '../base/texts.js';
import { closeDialog, openDialog } from '../state/actions.js';
import {
  chooseStars,
  ownRating,
  ratingNeeds,
  saveRating,
  starsOf,
  writeComment,
} from '../state/rate-actions.js';
import { readDraft } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { icon } from './parts.js';
import { starRows } from './stars.js';
import type { Restaurant, State } from '../base/types.js';

const common = texts.common;

const words = texts.rateSheet;

/**
 * The stars of a place and its comment, with what was rated before.
 * @param scope makes names unique where a place is shown twice
 */
export function rateFields(place: Pick<Restaurant, 'id' | 'name'>, scope: string) {
  const stars = starsOf(place.id);
  return html`
    ${starRows(`${scope}-${place.id}`, stars, (kind, value) => chooseStars(place, kind, value))}
    <textarea
      rows="2"
      maxlength="5000"
      aria-label=${words.comment}
      placeholder=${words.comment}
      .value=${stars.comment ?? ''}
      @input=${(event: any) => writeComment(place, event.target.value)}
    ></textarea>
  `;
}

/** Whether what is shown is stored, or waits for a connection. */
export function rateState({ id }: Pick<Restaurant, 'id'>, { outbox }: State) {
  const waits = outbox.some(({ place, path }) => place === `restaurant ${id}` && path.startsWith('/ratings'));
  if (waits)
    return html`<span class="tiny warn" role="status">${icon('clock', 14)} ${common.willBeSent}</span>`;
  const isSaved = ownRating(id) !== undefined && starsOf(id).drafts.length === 0 && !readDraft(`rate ${id}`);
  return html`<span class="tiny open" role="status"
    >${isSaved ? html`${icon('check', 14)} ${common.saved}` : nothing}</span
  >`;
}

/** Opens the stars over the screen. */
export function openRate(place: Pick<Restaurant, 'id' | 'name'>) {
  openDialog({
    label: fill(words.title, { name: place.name }),
    needs: () => ratingNeeds(place.id),
    close: () => saveRating(place),
    body: (state) => html`
      <h2>${fill(words.title, { name: place.name })}</h2>
      ${rateFields(place, 'sheet')}
      <div class="acts end">
        ${rateState(place, state)}
        <button type="button" class="button primary" @click=${closeDialog}>${words.done}</button>
      </div>
    `,
  });
  // Figures choose at once: the first row has the focus.
  requestAnimationFrame(() => queueMicrotask(() => focusStars('dialog')));
}

/**
 * Puts the focus on the stars in a part of the page, on those that were chosen where there are.
 * @param within its selector
 * @returns whether they can be seen there
 */
export function focusStars(within: string): boolean {
  const row = document.querySelector(`${within} .stars`);
  const radio = row?.querySelector('input:checked') ?? row?.querySelector('input');
  if (!(radio instanceof HTMLElement) || radio.closest('.box, dialog')?.checkVisibility() === false)
    return false;
  radio.focus();
  return true;
}
