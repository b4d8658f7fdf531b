import { day } from '../base/format.js';
import { faultText } from '../base/api.js';
import { fill, root, texts } from '../base/texts.js';
import { act, isAdmin, isSignedIn, needsUser, newKey, revert, toast } from '../state/actions.js';
import { goBack, navigate } from '../state/router.js';
import { answer, setUi, state, update } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { deleteOrAsk } from '../parts/mine.js';
import { openForm, send as sendTyped } from '../parts/form.js';
import { button, icon, iconButton, track } from '../parts/parts.js';
import type { Named, Photo, Restaurant, State, Upload } from '../base/types.js';

const common = texts.common;
const words = texts.photos;

/** These stand side by side on a desktop; the last says how many more there are. */
const SHOWN = 5;

/** The address of the page of a photo. */
const photoHref = ({ id, restaurant_id: place }: Photo) => `/restaurants/${place}/photos/${id}`;

/** What a photo shows, for those who do not see it. */
const altOf = ({ caption }: Photo, { name }: Named) =>
  caption === null || caption === '' ? fill(words.photoOf, { name }) : caption;

/** The photos of a place side by side, of which its cover is known first, and those on their way to it. */
export function photoStrip(state: State, place: Restaurant) {
  const { id, cover } = place;
  const photos = answer<readonly Photo[]>(photosUrl(id));
  const first = cover && html`<li class="tile"><img src=${cover.thumbnail_url} alt="" /></li>`;
  const tiles = photos?.map((photo, at) => tile(place, photo, at, photos.length)) ?? (first ? [first] : []);
  const uploads = state.ui.uploads?.filter((one) => one.place === id) ?? [];
  const strip = html`<ul class="strip" aria-label=${fill(words.label, { all: tiles.length })}>
    ${tiles}
  </ul>`;
  return html`<div class=${tiles.length > 0 ? 'photos' : 'photos nophotos'}>
    ${tiles.length > 0 ? strip : nothing} ${state.config?.read_only ? nothing : chooser(state, place)}
    ${
      uploads.length > 0
        ? html`<ul class="uploads">
            ${uploads.map(uploadTile)}
          </ul>`
        : nothing
    }
  </div>`;
}

function tile(place: Named, photo: Photo, at: number, all: number) {
  const more = at === SHOWN - 1 ? all - SHOWN : 0;
  return html`<li class="tile">
    <a href=${photoHref(photo)} data-focus=${`photo-${photo.id}`}
      ><img
        src=${photo.thumbnail_url ?? photo.url}
        alt=${altOf(photo, place)}
        loading="lazy"
      />${more > 0 ? html`<span class="more desk">${fill(words.more, { count: more })}</span>` : nothing}</a
    ><span class="nth phone" aria-hidden="true">${fill(words.nth, { at: at + 1, all })}</span>
  </li>`;
}

const chooser = (state: State, { id }: Named) =>
  html`<label class="button addphoto" title=${words.addHint}
    >${icon('camera')}${words.add}<input
      class="vh"
      type="file"
      accept="image/jpeg,image/png,image/webp"
      multiple
      @click=${(event: Event) => isSignedIn(state) || (event.preventDefault(), choosePhotos())}
      @change=${({ target }: { target: HTMLInputElement }) => {
        addPhotos(id, target.files ?? []);
        target.value = '';
      }}
  /></label>`;

/** Lets the person choose photos of the place that is shown. After a sign-in a page may only point at the way to it. */
export const choosePhotos = needsUser('photos', () => {
  const input = document.querySelector<HTMLInputElement>('main input[type=file]');
  input?.focus();
  input?.click();
});

function uploadTile(upload: Upload) {
  const { picture, file, state, share, fault, isFinal } = upload;
  const percent = Math.round(share * 100);
  const failed = html`<p class="tiny bad" role="alert">${icon('warning', 14)} ${fault}</p>
    <div class="acts">
      ${isFinal ? nothing : button(common.retry, () => send(upload))}
      ${iconButton('close', common.remove, () => dropUpload(upload), 'plain')}
    </div>`;
  const sent = html`${track(share)}
    <p class="tiny soft">${state === 'waiting' ? words.waiting : fill(words.sending, { percent })}</p>`;
  return html`<li class=${state}>
    <img src=${picture} alt=${file.name} />
    ${state === 'failed' ? failed : sent}
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
  const next = at < 0 ? undefined : photos.at((at + step) % photos.length);
  if (next) navigate(photoHref(next), { replace: true });
};

/** What keys do while one photo is shown: arrows point along the row of photos, whichever way that runs. */
export const lightboxKeys = {
  ArrowLeft: (state: State) => turn(root.dir === 'rtl' ? 1 : -1)(state),
  ArrowRight: (state: State) => turn(root.dir === 'rtl' ? -1 : 1)(state),
  Escape: (state: State) => state.route.params.photo !== undefined && shut(state),
};

/** One photo as large as the window: arrows go round all of them, Escape goes back. Undefined where there is none. */
export function lightbox(state: State, place: Named) {
  const { photos, at } = photosOf(state);
  const photo = photos[at];
  if (!photo) return undefined;
  const { author, caption, created_at: made } = photo;
  const isOurs = isAdmin(state) || (author !== null && author.id === state.session.user?.id);
  const remove = () => {
    shut(state);
    void act({ method: 'DELETE', path: `/photos/${photo.id}`, said: words.deleted });
  };
  const edit = html`${iconButton('edit', words.editCaption, () => editCaption(photo), 'plain')}
  ${button(words.delete, () => deleteOrAsk(state, words.askDelete, remove), 'button plain')}`;
  const turns = html`${iconButton('back', words.previous, () => turn(-1)(state), 'back')}
  ${iconButton('next', words.next, () => turn(1)(state), 'next')}`;
  return html`<section class="lightbox">
    <header>
      <h1>${fill(words.title, { at: at + 1, all: photos.length, name: place.name })}</h1>
      ${isOurs ? edit : nothing} ${iconButton('close', common.close, () => shut(state), 'plain')}
    </header>
    <figure>
      <img src=${photo.url} alt=${altOf(photo, place)} width=${photo.width} height=${photo.height} />
      <figcaption dir="auto">
        ${caption}
        <span class="small soft"
          >${author ? fill(words.by, { name: author.username, day: day(made) }) : day(made)}</span
        >
      </figcaption>
    </figure>
    ${photos.length > 1 ? turns : nothing}
  </section>`;
}

const editCaption = ({ id, caption: value }: Photo) =>
  openForm(words.editCaption, {
    name: 'caption',
    fields: [{ name: 'caption', label: words.caption, max: 255, value: value ?? '', autofocus: true }],
    submit: common.save,
    run: ({ caption = '' }) =>
      sendTyped({ method: 'PATCH', path: `/photos/${id}`, body: { caption }, said: words.captionSaved }),
  });

/** What the service accepts as a thumbnail, besides a longest side of 640 pixels. */
const THUMBNAIL_BYTES = 150 * 1_024;

/** A picture as a JPEG whose longest side is at most `side`: on white, since JPEG knows no transparency. */
function jpeg(picture: ImageBitmap, side: number, quality: number): Promise<Blob> {
  const share = Math.min(1, side / Math.max(picture.width, picture.height));
  const fitted = (length: number) => Math.max(1, Math.round(length * share));
  const [width, height] = [fitted(picture.width), fitted(picture.height)];
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('No canvas');
  context.fillStyle = '#fff';
  context.imageSmoothingQuality = 'high';
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, 0, 0, width, height);
  return canvas.convertToBlob({ type: 'image/jpeg', quality });
}

/**
 * Shrinks a photo to what is sent: upright, without what the camera wrote about the place, with a thumbnail. A file
 * that the browser cannot decode is sent as it is: the service cleans it or says what is wrong with it. `kind` is that of
 * one that neither of them can take.
 */
export async function shrunk(
  file: Blob,
): Promise<{ photo: Blob; thumbnail?: Blob; kind?: Kind | undefined }> {
  try {
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const photo = await jpeg(picture, 2560, 0.85);
    // A noisy picture needs a smaller one.
    for (const side of [640, 480, 320]) {
      const thumbnail = await jpeg(picture, side, 0.8);
      if (thumbnail.size <= THUMBNAIL_BYTES) return { photo, thumbnail };
    }
    return { photo };
  } catch {
    return { photo: file, kind: await kindOf(file) };
  }
}

type Kind = keyof typeof words.kinds;

// By the first bytes, from the fourth on for files in boxes (ISO 14496-12).
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^.{4}ftypavi[fs]/s, 'avif'],
  [/^.{4}ftyp(?:he|mif1|msf1)/s, 'heic'],
  [/^.{4}(?:ftyp|moov|mdat|wide)|^.E\xdf\xa3|^RIFF.{4}AVI /s, 'film'],
  [/^%PDF/, 'pdf'],
];

/** The kind of a file that is no picture for a page; undefined for others. */
async function kindOf(file: Blob): Promise<Kind | undefined> {
  const bytes = new Uint8Array(await file.slice(0, 12).arrayBuffer());
  const start = String.fromCharCode(...bytes);
  return KINDS.find(([pattern]) => pattern.test(start))?.[1];
}

export const photosUrl = (id: number) => `/restaurants/${id}/photos`;

/** Sends photos, also after their screen was left. One Undo takes back all of them. */
function addPhotos(place: number, files: Iterable<File>) {
  const added: string[] = [];
  const uploads = [...files].map((file): Upload => {
    const picture = URL.createObjectURL(file);
    return { key: newKey(), place, file, picture, added, state: 'waiting', share: 0 };
  });
  setUi({ uploads: [...(state.ui.uploads ?? []), ...uploads] });
  uploads.forEach(send);
}

const alter = (upload: Upload, changes: Partial<Upload>) => update(() => Object.assign(upload, changes));

/** Two photos are sent at once: each is the last of one of these lines. */
const lines = [Promise.resolve(), Promise.resolve()];

/** Sends a photo when it is its turn. */
function send(upload: Upload) {
  alter(upload, { state: 'waiting', share: 0 });
  lines.push((lines.shift() ?? Promise.resolve()).then(() => sendNow(upload)));
}

function dropUpload({ key, picture }: Upload) {
  URL.revokeObjectURL(picture);
  setUi({ uploads: state.ui.uploads?.filter((one) => one.key !== key) });
}

async function sendNow(upload: Upload) {
  const { key, place, file, added } = upload;
  alter(upload, { state: 'sending' });
  const { photo, thumbnail, kind } = await shrunk(file);
  if (kind) return alter(upload, { state: 'failed', fault: words.kinds[kind], isFinal: true });
  const body = new FormData();
  body.set('photo', photo, file.name);
  if (thumbnail) body.set('thumbnail', thumbnail, 'thumbnail.jpg');
  const outcome = await act({
    method: 'POST',
    path: photosUrl(place),
    body,
    quiet: true,
    label: fill(words.photo, { file: file.name }),
    place: `restaurant ${place}`,
    key,
    onSent: (share) => alter(upload, { share }),
  });
  if (!outcome.ok) {
    const { status } = outcome.fault;
    const isFinal = status >= 400 && status < 500 && ![401, 408, 429].includes(status);
    return alter(upload, { state: 'failed', fault: faultText(outcome.fault, words.faults), isFinal });
  }
  dropUpload(upload);
  if (outcome.change === null) return;
  added.push(outcome.change);
  const undo = async () => {
    for (const change of added) await revert(change);
  };
  toast({ text: fill(words.added, { count: added.length }), undo });
}
