import { day } from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import { closeDialog, isAdmin, isSignedIn, needsUser } from '../state/actions.js';
import { goBack, navigate } from '../state/router.js';
import { answer, setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import {
  addPhotos,
  deletePhoto,
  dropUpload,
  photosUrl,
  retryUpload,
  setCaption,
  uploadsOf,
} from './photo-actions.js';
import { deleteOrAsk } from '../parts/mine.js';
import { openForm } from '../parts/form.js';
import { button, icon, iconButton, track } from '../parts/parts.js';
import type { Named, Photo, Restaurant, State, Upload } from '../base/types.js';

const common = texts.common;
const words = texts.photos;

// So many stand side by side on a desktop; the last says how many more there are.
const SHOWN = 5;

/** The address of the page of a photo. */
const photoHref = ({ id, restaurant_id: place }: Photo) => `/restaurants/${place}/photos/${id}`;

/** What a photo shows, for those who do not see it. */
const altOf = ({ caption }: Photo, { name }: Named) =>
  caption === null || caption === '' ? fill(words.photoOf, { name }) : caption;

/** The photos of a place side by side, undefined while they are being loaded, and those on their way to it. */
export function photoStrip(state: State, place: Restaurant, photos: readonly Photo[] | undefined) {
  const count = photos?.length ?? (place.cover ? 1 : 0);
  const at = state.ui.strip ?? 1;
  const more = count - SHOWN;
  const uploads = uploadsOf(place.id);
  const cover = html`<div class="strip n1">
    <div class="tile"><img src=${place.cover?.thumbnail_url} alt="" /></div>
  </div>`;
  const tiles = () =>
    html`<ul
        class=${`strip n${Math.min(SHOWN, count)}`}
        aria-label=${fill(words.label, { all: count })}
        @scroll=${({ currentTarget: list }: Event) => list instanceof HTMLElement && countTiles(list, at)}
      >
        ${photos?.map((photo, index) => tile(place, photo, index === SHOWN - 1 ? more : 0))}
      </ul>
      <span class="nth phone" aria-hidden="true">${fill(words.nth, { at, all: count })}</span>`;
  return html`<div class=${count > 0 ? 'photos' : 'photos nophotos'}>
    ${count === 0 ? nothing : photos ? tiles() : cover}
    ${state.config?.read_only ? nothing : chooser(state, place)}
    ${
      uploads.length > 0
        ? html`<ul class="uploads">
            ${uploads.map(uploadTile)}
          </ul>`
        : nothing
    }
  </div>`;
}

function countTiles(list: HTMLElement, before: number) {
  const width = list.firstElementChild?.clientWidth ?? 1;
  const atEnd = list.scrollLeft + list.clientWidth >= list.scrollWidth - 2;
  const at = atEnd ? list.childElementCount : Math.round(list.scrollLeft / width) + 1;
  if (at !== before) setUi({ strip: at });
}

const tile = (place: Named, photo: Photo, more: number) =>
  html`<li class="tile">
    <a href=${photoHref(photo)} data-focus=${`photo-${photo.id}`}
      ><img
        src=${photo.thumbnail_url ?? photo.url}
        alt=${altOf(photo, place)}
        width="640"
        height="480"
        loading="lazy"
      />${more > 0 ? html`<span class="more desk">${fill(words.more, { count: more })}</span>` : nothing}</a
    >
  </li>`;

const chooser = (state: State, { id }: Named) =>
  html`<label class="button addphoto" title=${words.addHint}
    >${icon('camera')}${words.add}<input
      class="vh"
      type="file"
      name="photos"
      accept="image/jpeg,image/png,image/webp"
      multiple
      data-focus="photos"
      @click=${(event: Event) => isSignedIn(state) || (event.preventDefault(), choosePhotos())}
      @change=${({ target }: { target: HTMLInputElement }) => {
        addPhotos(id, target.files ?? []);
        target.value = '';
      }}
  /></label>`;

/** Lets the person choose photos of the place that is shown. After a sign-in a page may only point at the way to it. */
export const choosePhotos = needsUser('photos', () => {
  const input = document.querySelector('main input[type=file]');
  if (!(input instanceof HTMLInputElement)) return;
  input.focus();
  input.click();
});

function uploadTile(upload: Upload) {
  const { picture, file, state, share, fault } = upload;
  const percent = Math.round(share * 100);
  return html`<li class=${state}>
    <img src=${picture} alt=${file.name} />
    ${
      state === 'failed'
        ? html`<p class="tiny bad" role="alert">${icon('warning', 14)} ${fault}</p>
            <div class="acts">
              ${button(common.retry, () => retryUpload(upload))}
              ${iconButton('close', common.remove, () => dropUpload(upload), 'plain')}
            </div>`
        : html`${track(share)}
            <p class="tiny soft">
              ${state === 'waiting' ? words.waiting : fill(words.sending, { percent })}
            </p>`
    }
  </li>`;
}

const shut = ({ route }: State) => goBack(`/restaurants/${route.params.id}`);

/** The photos of the place that is shown, and which of them is. */
function photosOf({ route: { params } }: State) {
  const photos = answer<readonly Photo[]>(photosUrl(Number(params.id))) ?? [];
  return { photos, at: photos.findIndex(({ id }) => String(id) === params.photo) };
}

const turn = (step: number) => (state: State) => {
  const { photos, at } = photosOf(state);
  const next = photos.at((at + step) % photos.length);
  if (next) navigate(photoHref(next), { replace: true });
};

/** What keys do while one photo is shown. */
export const lightboxKeys: Readonly<Record<string, (state: State) => void>> = {
  ArrowLeft: turn(-1),
  ArrowRight: turn(1),
  Escape: (state) => state.route.params.photo !== undefined && shut(state),
};

/** One photo as large as the window: arrows go round all of them, Escape goes back. Undefined where there is none. */
export function lightbox(state: State, place: Named) {
  const { photos, at } = photosOf(state);
  const photo = photos[at];
  if (!photo) return undefined;
  const { author, created_at: made } = photo;
  const isOurs = isAdmin(state) || (author !== null && author.id === state.session.user?.id);
  // On a control the arrows are its own elsewhere.
  const onKey = (event: KeyboardEvent) => {
    const run = lightboxKeys[event.key];
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run(state);
  };
  const remove = () => {
    shut(state);
    void deletePhoto(photo);
  };
  const edit = html`${iconButton('edit', words.editCaption, () => editCaption(photo), 'plain')}
  ${button(words.delete, () => deleteOrAsk(state, words.askDelete, remove), 'button plain')}`;
  const turns = html`${iconButton('back', words.previous, () => turn(-1)(state), 'back')}
  ${iconButton('next', words.next, () => turn(1)(state), 'next')}`;
  return html`<section class="lightbox" @keydown=${onKey}>
    <header>
      <h1>${fill(words.title, { at: at + 1, all: photos.length, name: place.name })}</h1>
      ${isOurs ? edit : nothing} ${iconButton('close', common.close, () => shut(state), 'plain')}
    </header>
    <figure>
      <img src=${photo.url} alt=${altOf(photo, place)} width=${photo.width} height=${photo.height} />
      <figcaption>
        ${photo.caption}
        <span class="small soft"
          >${author ? fill(words.by, { name: author.username, day: day(made) }) : day(made)}</span
        >
      </figcaption>
    </figure>
    ${photos.length > 1 ? turns : nothing}
  </section>`;
}

const editCaption = (photo: Photo) =>
  openForm(words.editCaption, {
    name: 'caption',
    fields: [
      { name: 'caption', label: words.caption, max: 255, value: photo.caption ?? '', autofocus: true },
    ],
    submit: common.save,
    cancel: closeDialog,
    run: async ({ caption = '' }) => {
      closeDialog();
      await setCaption(photo, caption);
      return { ok: true };
    },
  });
