import { fill, texts } from '../base/texts.js';
import { isSignedIn, needsUser } from '../state/actions.js';
import { addPhotos, dropUpload, retryUpload, uploadsOf } from './photo-actions.js';
import { setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { icon, iconButton, track } from '../parts/parts.js';
import type { Named, Photo, Restaurant, State, Upload } from '../base/types.js';

const common = texts.common;
const words = texts.photos;

// So many stand side by side on a desktop; the last says how many more there are.
const SHOWN = 5;

/** The address of the page of a photo. */
export const photoHref = ({ id, restaurant_id: place }: Photo) => `/restaurants/${place}/photos/${id}`;

/** What a photo shows, for those who do not see it. */
export const altOf = ({ caption }: Photo, { name }: Named) =>
  caption === null || caption === '' ? fill(words.photoOf, { name }) : caption;

/**
 * The photos of a place side by side, and those on their way to it.
 * @param photos undefined while they are being loaded
 */
export function photoStrip(state: State, place: Restaurant, photos: readonly Photo[] | undefined) {
  const count = photos?.length ?? (place.cover ? 1 : 0);
  const at = state.ui.strip ?? 1;
  const more = count - SHOWN;
  const uploads = uploadsOf(place.id);
  return html`<div class=${count > 0 ? 'photos' : 'photos nophotos'}>
    ${
      photos && count > 0
        ? html`<ul
              class=${`strip n${Math.min(SHOWN, count)}`}
              aria-label=${fill(words.label, { all: count })}
              @scroll=${({ currentTarget: list }: Event) => list instanceof HTMLElement && countTiles(list, at)}
            >
              ${photos.map((photo, index) => tile(place, photo, index === SHOWN - 1 ? more : 0))}
            </ul>
            <span class="nth phone" aria-hidden="true">${fill(words.nth, { at, all: count })}</span>`
        : place.cover && !photos
          ? html`<div class="strip n1">
              <div class="tile"><img src=${place.cover.thumbnail_url} alt="" /></div>
            </div>`
          : nothing
    }
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
      @click=${(event: Event) => {
        if (isSignedIn(state)) return;
        event.preventDefault();
        choosePhotos();
      }}
      @change=${({ currentTarget: input }: Event) => {
        if (!(input instanceof HTMLInputElement)) return;
        addPhotos(id, input.files ?? []);
        input.value = '';
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
              <button type="button" class="button" @click=${() => retryUpload(upload)}>
                ${common.retry}
              </button>
              ${iconButton('close', common.remove, () => dropUpload(upload), 'plain')}
            </div>`
        : html`${track(share)}
            <p class="tiny soft">
              ${state === 'waiting' ? words.waiting : fill(words.sending, { percent })}
            </p>`
    }
  </li>`;
}
