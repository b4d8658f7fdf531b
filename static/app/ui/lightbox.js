import { isAdmin } from '../actions.js';
import { day } from '../format.js';
import { deletePhoto, photosUrl, setCaption } from '../photo-actions.js';
import { goBack, navigate } from '../router.js';
import { setUi } from '../store.js';
import { words as common } from '../texts.js';
import { words } from '../texts/photos.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field, valuesOf } from './form.js';
import { deleteOrAsk } from './ask.js';
import { focusOn } from './mine.js';
import { icon, missing } from './parts.js';
import { photoHref } from './photos.js';

/** @import { Photo, Restaurant, State } from '../types.js' */
/** @typedef {Pick<Restaurant, 'id' | 'name'>} Place */

/** @param {State} state */
const shut = ({ route }) => goBack(`/restaurants/${route.params['id']}`);

/** @param {number} step @returns {(state: State) => void} */
const turn =
  (step) =>
  ({ route, data }) => {
    const id = Number(route.params['id']);
    const photos = /** @type {readonly Photo[]} */ (data[photosUrl(id)]?.body ?? []);
    const next = photos[photos.findIndex((photo) => String(photo.id) === route.params['photo']) + step];
    if (next) navigate(photoHref({ id }, next), { replace: true });
  };

/** @param {(state: State) => void} run @returns {(state: State) => void} */
const onPhoto = (run) => (state) => state.route.params['photo'] !== undefined && run(state);

/** What keys do while one photo is shown. @type {Readonly<Record<string, (state: State) => void>>} */
export const lightboxKeys = {
  ArrowLeft: onPhoto(turn(-1)),
  ArrowRight: onPhoto(turn(1)),
  Escape: onPhoto(shut),
};

/**
 * One photo as large as the window: arrows go through all of them, Escape goes back.
 * @param {State} state
 * @param {Place} place
 * @param {readonly Photo[]} photos
 */
export function lightbox(state, place, photos) {
  const at = photos.findIndex(({ id }) => String(id) === state.route.params['photo']);
  const photo = photos[at];
  if (!photo) {
    const fault = { status: 404, message: '', requestId: null, retryAfter: null };
    return missing({ state: 'failed', fault }, () => {});
  }
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const run = lightboxKeys[event.key];
    if (!run || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    event.stopPropagation();
    run(state);
  };
  const arrow = (
    /** @type {'back' | 'next'} */ name,
    /** @type {number} */ step,
    /** @type {string} */ label,
  ) =>
    html`<button
      type="button"
      class=${`button only ${name}`}
      aria-label=${label}
      data-focus=${name}
      aria-disabled=${photos[at + step] ? nothing : 'true'}
      @click=${() => turn(step)(state)}
    >
      ${icon(name, 24)}
    </button>`;
  return html`<section class="lightbox" @keydown=${onKey}>
    <header>
      <h1>${words.title(at + 1, photos.length, place.name)}</h1>
      ${isOurs(state, photo) ? ownerActs(state, photo) : nothing}
      <button type="button" class="button plain only" aria-label=${common.close} @click=${() => shut(state)}>
        ${icon('close', 22)}
      </button>
    </header>
    <figure>
      <img
        src=${photo.url}
        alt=${photo.caption || words.photoOf(place.name)}
        width=${photo.width}
        height=${photo.height}
      />
      <figcaption>
        ${state.ui['captionOf'] === photo.id ? captionForm(photo) : photo.caption}
        <span class="small soft"
          >${photo.author ? words.by(photo.author.username, day(photo.created_at)) : day(photo.created_at)}</span
        >
      </figcaption>
    </figure>
    ${photos.length > 1 ? html`${arrow('back', -1, words.previous)} ${arrow('next', 1, words.next)}` : nothing}
  </section>`;
}

/** @param {State} state @param {Photo} photo */
const isOurs = (state, { author }) =>
  isAdmin(state) || (author !== null && author.id === state.session.user?.id);

/**
 * @param {State} state
 * @param {Photo} photo
 */
function ownerActs(state, photo) {
  const remove = () => {
    shut(state);
    void deletePhoto(photo);
  };
  return html`<button
      type="button"
      class="button plain only"
      aria-label=${words.editCaption}
      data-focus="caption"
      @click=${() => editCaption(photo.id)}
    >
      ${icon('edit', 20)}
    </button>
    <button type="button" class="button plain" @click=${() => deleteOrAsk(state, words.askDelete, remove)}>
      ${words.delete}
    </button>`;
}

/** Opens the form of a caption, or closes it; the focus goes along. @param {number | undefined} id */
function editCaption(id) {
  setUi({ captionOf: id });
  if (id === undefined) return focusOn('caption');
  requestAnimationFrame(() => queueMicrotask(() => document.getElementById('field-caption')?.focus()));
}

/** @param {Photo} photo */
const captionForm = (photo) =>
  html`<form
    class="acts"
    @submit=${(/** @type {Event} */ event) => {
      void setCaption(photo, valuesOf(event)['caption'] ?? '');
      editCaption(undefined);
    }}
  >
    ${field({ name: 'caption', label: words.caption, max: 255, value: photo.caption ?? '' })}
    <button class="button primary">${common.save}</button>
  </form>`;
