import { fill, texts } from '../base/texts.js';
import { isSignedIn, needsUser, openDialog } from '../state/actions.js';
import { addPhotos, dropUpload, retryUpload, uploadsOf } from './photo-actions.js';
import { setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import { icon, track } from '../parts/parts.js';
import type { Photo, Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.photos;

export type Place = Pick<Restaurant, 'id' | 'name'>;

const ACCEPTED = 'image/jpeg,image/png,image/webp';
// So many stand side by side on a desktop; the last says how many more there are.
const SHOWN = 5;

/** The address of the page of a photo. */
export const photoHref = ({ id }: Pick<Place, 'id'>, photo: Pick<Photo, 'id'>) =>
  `/restaurants/${id}/photos/${photo.id}`;

/**
 * The photos of a place side by side, and those on their way to it.
 * @param photos undefined while they are being loaded
 */
export function photoStrip(state: State, place: Restaurant, photos: readonly Photo[] | undefined) {
  const at = state.ui.strip ?? 1;
  const known = photos ?? [];
  return html`<div class="photos">
    ${
      known.length > 0
        ? html`<ul
              class=${`strip n${Math.min(SHOWN, known.length)}`}
              aria-label=${fill(words.label, { all: known.length })}
              @scroll=${(event: Event) => countTiles(event, at)}
            >
              ${known.map((photo, index) => tile(place, photo, index === SHOWN - 1 ? known.length - SHOWN : 0))}
            </ul>
            <span class="nth phone" aria-hidden="true">${fill(words.nth, { at, all: known.length })}</span>`
        : place.cover && !photos
          ? html`<div class="strip n1">
              <div class="tile"><img src=${place.cover.thumbnail_url} alt="" /></div>
            </div>`
          : html`<p class="nophotos soft">${photos ? words.none : ''}</p>`
    }
    ${addControl(state, place)} ${uploadTiles(place)}
  </div>`;
}

function countTiles({ currentTarget }: Event, before: number) {
  const list = currentTarget as HTMLElement;
  const width = list.firstElementChild?.clientWidth || 1;
  const atEnd = list.scrollLeft + list.clientWidth >= list.scrollWidth - 2;
  const at = atEnd ? list.childElementCount : Math.round(list.scrollLeft / width) + 1;
  if (at !== before) setUi({ strip: at });
}

const tile = (place: Place, photo: Photo, more: number) =>
  html`<li class="tile">
    <a href=${photoHref(place, photo)} data-focus=${`photo-${photo.id}`}
      ><img
        src=${photo.thumbnail_url ?? photo.url}
        alt=${photo.caption || fill(words.photoOf, { name: place.name })}
        width="640"
        height="480"
        loading="lazy"
      />${more > 0 ? html`<span class="more desk">${fill(words.more, { count: more })}</span>` : nothing}</a
    >
  </li>`;

function addControl(state: State, place: Place) {
  if (state.config?.read_only) return nothing;
  if (isSignedIn(state)) return chooser(place);
  const { id, name } = place;
  return html`<button type="button" class="button addphoto" @click=${() => askForPhotos({ id, name })}>
    ${icon('camera')}${words.add}
  </button>`;
}

const chooser = ({ id }: Place) =>
  html`<label class="button addphoto"
    >${icon('camera')}${words.add}<input
      class="vh"
      type="file"
      name="photos"
      accept=${ACCEPTED}
      multiple
      data-focus="photos"
      @change=${(event: any) => {
        addPhotos(id, event.target.files);
        event.target.value = '';
      }}
  /></label>`;

// After a sign-in a page may not open the device's own chooser by itself.
const askForPhotos = needsUser('photos', (place: Place) =>
  openDialog({
    label: fill(words.addTitle, { name: place.name }),
    body: () =>
      html`<h2>${fill(words.addTitle, { name: place.name })}</h2>
        <p class="soft">${words.addHint}</p>
        <p class="acts end">${chooser(place)}</p>
        ${uploadTiles(place)}`,
  }),
);

/** Lets the person choose photos of the place that is shown. */
export function choosePhotos({ id, name }: Place) {
  const input = document.querySelector('main input[type=file]');
  if (input instanceof HTMLInputElement) input.click();
  else askForPhotos({ id, name });
}

function uploadTiles({ id }: Place) {
  const uploads = uploadsOf(id);
  if (uploads.length === 0) return nothing;
  return html`<ul class="uploads">
    ${repeat(
      uploads,
      ({ key }) => key,
      ({ key, picture, file, state, share, fault }) =>
        html`<li class=${state}>
          <img src=${picture} alt=${file.name} />
          ${
            state === 'failed'
              ? html`<p class="tiny bad" role="alert">${icon('warning', 14)} ${fault}</p>
                  <div class="acts">
                    <button type="button" class="button" @click=${() => retryUpload(key)}>
                      ${common.retry}
                    </button>
                    <button
                      type="button"
                      class="button plain only"
                      aria-label=${common.remove}
                      @click=${() => dropUpload(key)}
                    >
                      ${icon('close', 16)}
                    </button>
                  </div>`
              : html`${track(share)}
                  <p class="tiny soft">
                    ${state === 'waiting' ? words.waiting : fill(words.sending, { percent: Math.round(share * 100) })}
                  </p>`
          }
        </li>`,
    )}
  </ul>`;
}
