import { fill, texts } from '../base/texts.js';
import { isAdmin } from '../state/actions.js';
import { day } from '../base/format.js';
import { deletePhoto, photosUrl, setCaption } from './photo-actions.js';
import { goBack, navigate } from '../state/router.js';
import { setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field, valuesOf } from '../parts/form.js';
import { deleteOrAsk } from '../parts/ask.js';
import { focusOn } from '../parts/mine.js';
import { icon, missing } from '../parts/parts.js';
import { photoHref } from './photos.js';
import type { Photo, Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.photos;

export type Place = Pick<Restaurant, 'id' | 'name'>;

const shut = ({ route }: State) => goBack(`/restaurants/${route.params.id}`);

const turn =
  (step: number): ((state: State) => void) =>
  ({ route, data }) => {
    const id = Number(route.params.id);
    const photos = (data[photosUrl(id)]?.body ?? []) as readonly Photo[];
    const next = photos[photos.findIndex((photo) => String(photo.id) === route.params.photo) + step];
    if (next) navigate(photoHref({ id }, next), { replace: true });
  };

const onPhoto =
  (run: (state: State) => void): ((state: State) => void) =>
  (state) =>
    state.route.params.photo !== undefined && run(state);

/** What keys do while one photo is shown. */
export const lightboxKeys: Readonly<Record<string, (state: State) => void>> = {
  ArrowLeft: onPhoto(turn(-1)),
  ArrowRight: onPhoto(turn(1)),
  Escape: onPhoto(shut),
};

/** One photo as large as the window: arrows go through all of them, Escape goes back. */
export function lightbox(state: State, place: Place, photos: readonly Photo[]) {
  const at = photos.findIndex(({ id }) => String(id) === state.route.params.photo);
  const photo = photos[at];
  if (!photo) {
    const fault = { status: 404, message: '', requestId: null, retryAfter: null };
    return missing({ state: 'failed', fault }, () => {});
  }
  const onKey = (event: KeyboardEvent) => {
    const run = lightboxKeys[event.key];
    if (!run || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    event.stopPropagation();
    run(state);
  };
  const arrow = (name: 'back' | 'next', step: number, label: string) =>
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
      <h1>${fill(words.title, { at: at + 1, all: photos.length, name: place.name })}</h1>
      ${isOurs(state, photo) ? ownerActs(state, photo) : nothing}
      <button type="button" class="button plain only" aria-label=${common.close} @click=${() => shut(state)}>
        ${icon('close', 22)}
      </button>
    </header>
    <figure>
      <img
        src=${photo.url}
        alt=${photo.caption || fill(words.photoOf, { name: place.name })}
        width=${photo.width}
        height=${photo.height}
      />
      <figcaption>
        ${state.ui.captionOf === photo.id ? captionForm(photo) : photo.caption}
        <span class="small soft"
          >${photo.author ? fill(words.by, { name: photo.author.username, day: day(photo.created_at) }) : day(photo.created_at)}</span
        >
      </figcaption>
    </figure>
    ${photos.length > 1 ? html`${arrow('back', -1, words.previous)} ${arrow('next', 1, words.next)}` : nothing}
  </section>`;
}

const isOurs = (state: State, { author }: Photo) =>
  isAdmin(state) || (author !== null && author.id === state.session.user?.id);

function ownerActs(state: State, photo: Photo) {
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

/** Opens the form of a caption, or closes it; the focus goes along. */
function editCaption(id: number | undefined) {
  setUi({ captionOf: id });
  if (id === undefined) return focusOn('caption');
  requestAnimationFrame(() => queueMicrotask(() => document.getElementById('field-caption')?.focus()));
}

const captionForm = (photo: Photo) =>
  html`<form
    class="acts"
    @submit=${(event: Event) => {
      void setCaption(photo, valuesOf(event).caption ?? '');
      editCaption(undefined);
    }}
  >
    ${field({ name: 'caption', label: words.caption, max: 255, value: photo.caption ?? '' })}
    <button class="button primary">${common.save}</button>
  </form>`;
