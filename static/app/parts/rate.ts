import { fill, texts } from '../base/texts.js';
import { keyName } from '../base/keys.js';
import { closeDialog, openDialog } from '../state/actions.js';
import * as rating from '../state/place-actions.js';
import { readDraft } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { button, icon } from './parts.js';
import type { Named, State } from '../base/types.js';

const common = texts.common;
const words = texts.rateSheet;

/** Three rows of five stars of a place, and its comment; `scope` makes names unique where it is shown twice. */
export function rateFields(place: Named, scope: string) {
  const { comment = '' } = rating.starsOf(place.id);
  return html`
    ${rating.KINDS.map((kind) => starRow(place, kind, scope))}
    <textarea
      rows="2"
      maxlength="5000"
      aria-label=${words.comment}
      placeholder=${words.comment}
      .value=${comment}
      @input=${({ target }: { target: HTMLTextAreaElement }) => rating.writeComment(place, target.value)}
    ></textarea>
  `;
}

function starRow(place: Named, kind: (typeof rating.KINDS)[number], scope: string) {
  const { drafts, [kind]: chosen = 0 } = rating.starsOf(place.id);
  const isDraft = drafts.includes(kind);
  return html`<fieldset class=${isDraft ? 'stars draft' : 'stars'} data-kind=${kind} @keydown=${chooseByKey}>
    <legend>${common.kinds[kind]}</legend>
    <div>
      ${[1, 2, 3, 4, 5].map(
        (value) =>
          html`<label class=${value <= chosen ? 'on' : ''}
            ><input
              class="vh"
              type="radio"
              name=${`${scope}-${place.id}-${kind}`}
              value=${value}
              .checked=${live(value === chosen)}
              @click=${() => rating.chooseStars(place, kind, value)}
            /><span class="vh">${fill(common.stars, { count: value })}</span
            >${icon('star', 26, value <= chosen && !isDraft)}</label
          >`,
      )}
    </div>
  </fieldset>`;
}

/** A figure chooses in the row that has the focus. */
function chooseByKey(event: KeyboardEvent) {
  const { currentTarget: row } = event;
  const radio = row instanceof Element && row.querySelectorAll('input')[Number(keyName(event)) - 1];
  if (!radio) return;
  event.stopPropagation();
  radio.click();
  radio.focus();
}

/** Whether what is shown is stored, or waits for a connection. */
export function rateState({ id }: Pick<Named, 'id'>, { outbox }: State) {
  const waits = outbox.some(({ place, path }) => place === `restaurant ${id}` && path.startsWith('/ratings'));
  if (waits)
    return html`<span class="tiny warn" role="status">${icon('clock', 14)} ${common.willBeSent}</span>`;
  const isSaved = rating.ownRating(id) !== undefined && !readDraft(`rate ${id}`);
  return html`<span class="tiny open" role="status"
    >${isSaved ? html`${icon('check', 14)} ${common.saved}` : nothing}</span
  >`;
}

/** Opens the stars over the screen. */
export function openRate(place: Named) {
  openDialog({
    label: fill(words.title, { name: place.name }),
    needs: () => rating.ratingNeeds(place.id),
    close: () => rating.saveRating(place),
    body: (state) => html`
      <h2>${fill(words.title, { name: place.name })}</h2>
      ${rateFields(place, 'sheet')}
      <div class="acts end">
        ${rateState(place, state)} ${button(words.done, closeDialog, 'button primary')}
      </div>
    `,
  });
  // Figures choose at once: the first row has the focus.
  requestAnimationFrame(() => queueMicrotask(() => focusStars('dialog')));
}

/** Puts the focus on the stars in a part of the page, the chosen ones first; says whether they can be seen there. */
export function focusStars(within: string): boolean {
  const row = document.querySelector(`${within} .stars`);
  const radio = row?.querySelector('input:checked') ?? row?.querySelector('input');
  if (!(radio instanceof HTMLElement) || row?.checkVisibility() === false) return false;
  radio.focus();
  return true;
}
