import * as format from '../base/format.js';
import { keyName } from '../base/keys.js';
import { fill, texts } from '../base/texts.js';
import { closeDialog, openDialog } from '../state/actions.js';
import * as rating from '../state/place-actions.js';
import { marksOf, meansOf, unsentFor, waitingFor } from '../state/places.js';
import { readDraft, state } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { button, icon, leader, openingLine, scoreMark } from './parts.js';
import type { IconName } from './parts.js';
import type { Named, Restaurant } from '../base/types.js';

const words = texts.common;
const sheet = texts.rateSheet;

/** Where a place is shown, or what is suggested. */
export const placeHref = ({ id, is_suggestion: isPending }: Pick<Restaurant, 'id' | 'is_suggestion'>) =>
  isPending ? `/suggestions?sel=${id}` : `/restaurants/${id}`;

/** A place as a row: one link, with the score as a button, `metres` from here. What is not known is said on its page. */
export function row(place: Restaurant, where: string, metres?: number, extra?: unknown) {
  const { id, name, cover, status, is_suggestion: isPending } = place;
  const key = isPending ? -id : id;
  const isSelected = state.route.query.sel === String(key);
  const away = metres === undefined ? '' : format.distance(metres);
  const about = format.dotted([where, away, format.kindLine(place)]);
  const kind = status === 'closed' ? 'name soft' : 'name';
  const link = html`<a class=${kind} href=${placeHref(place)} data-focus=${`row-${id}`} dir="auto"
    >${name}</a
  >`;
  const means = meansOf(place);
  const label = fill(words.rateName, { name, now: format.means(means) });
  const rate = button(means.count === 0 ? icon('star') : scoreMark(means), () => openRate(place), 'rate', {
    label,
  });
  return html`<li
    class=${isSelected ? 'row selected' : 'row'}
    aria-current=${isSelected ? 'true' : nothing}
    data-row=${key}
  >
    ${cover && html`<img class="thumb" src=${cover.thumbnail_url} width="48" height="48" alt="" loading="lazy" />`}
    <div class="in">
      ${leader(link, isPending ? nothing : rate)}
      <p class="small about">
        <span class="soft cut">${about}</span>
        ${isPending ? html`<span class="soft">${words.status.suggestion}</span>` : [openingLine(place, true), marks(id)]}
      </p>
      ${extra}
    </div>
  </li>`;
}

/** What the user has to do with a place, and that something of it was not sent yet, as icons. */
function marks(id: number) {
  const { visits = 0, want = false, favourite = false } = marksOf(id) ?? {};
  const mark = (isOn: boolean, name: IconName, text: string, kind = 'soft') =>
    isOn
      ? html`<span class=${`mark ${kind}`} title=${text}
          >${icon(name, 14, kind === 'want')}<span class="vh">${text}</span></span
        >`
      : nothing;
  return html`<span class="marks">
    ${mark(unsentFor(id).length > 0, 'clock', words.unsent, 'warn')}
    ${mark(visits > 0, 'check', fill(words.been, { count: visits }))}
    ${mark(want, 'mark', words.want, 'want')} ${mark(favourite, 'star', words.favourite, 'want')}
  </span>`;
}

/** Scrolls the row of a place into view once it is drawn. */
export function showRow(key: number) {
  requestAnimationFrame(() =>
    document.querySelector(`[data-row="${key}"]`)?.scrollIntoView({ block: 'nearest' }),
  );
}

/** Three rows of five stars of a place, and its comment, on its page or in a dialog, where they get the focus. */
export function rateFields(place: Named, scope: 'page' | 'dialog') {
  const { comment = '', drafts, ...stars } = rating.starsOf(place.id);
  const row = (kind: (typeof rating.KINDS)[number]) => {
    const isDraft = drafts.includes(kind);
    const star = (value: number) => {
      const isOn = value <= (stars[kind] ?? 0);
      return html`<label class=${isOn ? 'on' : ''}
        ><input
          class="vh"
          type="radio"
          ?autofocus=${scope === 'dialog' && kind === 'food' && value === (stars.food ?? 1)}
          name=${`${scope}-${place.id}-${kind}`}
          .checked=${live(value === stars[kind])}
          @click=${() => rating.chooseStars(place, kind, value)}
        /><span class="vh">${fill(words.stars, { count: value })}</span
        >${icon('star', 26, isOn && !isDraft)}</label
      >`;
    };
    return html`<fieldset
      class=${isDraft ? 'stars draft' : 'stars'}
      data-kind=${kind}
      @keydown=${chooseByKey}
    >
      <legend>${words.kinds[kind]}</legend>
      <div>${[1, 2, 3, 4, 5].map(star)}</div>
    </fieldset>`;
  };
  return html`
    ${rating.KINDS.map(row)}
    <textarea
      dir="auto"
      maxlength="5000"
      aria-label=${sheet.comment}
      placeholder=${sheet.comment}
      .value=${comment}
      @input=${({ target }: { target: HTMLTextAreaElement }) => rating.writeComment(place, target.value)}
    ></textarea>
  `;
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
export function rateState({ id }: Named) {
  const isRating = ({ path }: { path: string }) => path.startsWith('/ratings');
  const waits = unsentFor(id).some(isRating);
  const isPending = waitingFor(id).some(isRating) || readDraft(`rate ${id}`) !== undefined;
  const isSaved = rating.ownRating(id) !== undefined && !isPending;
  const text = waits
    ? html`${icon('clock', 14)} ${words.willBeSent}`
    : isSaved && html`${icon('check', 14)} ${words.saved}`;
  return html`<span class=${`tiny ${waits ? 'warn' : 'open'}`} role="status">${text || nothing}</span>`;
}

/** Opens the stars over the screen. */
export function openRate(place: Named) {
  openDialog({
    label: fill(sheet.title, { name: place.name }),
    needs: () => rating.ratingNeeds(place.id),
    close: () => rating.saveRating(place),
    body: () =>
      html`${rateFields(place, 'dialog')}
        <div class="acts end">${rateState(place)} ${button(sheet.done, closeDialog, 'button primary')}</div>`,
  });
}
