import { act, faultText, newKey, revert, setUndo, toast } from './actions.js';
import { shrunk } from './photo.js';
import { setUi, state } from './store.js';
import { words } from './texts/photos.js';

/** @import { Photo } from './types.js' */

/**
 * A photo on its way. `key` keeps a photo that is sent again from being stored twice.
 * @typedef {object} Upload
 * @property {string} key
 * @property {number} place
 * @property {File} file
 * @property {string} picture the address of the file in this page
 * @property {'waiting' | 'sending' | 'failed'} state
 * @property {number} share of it that was sent, 0 to 1
 * @property {string} [fault]
 */

const AT_ONCE = 2;

/** @param {number} id of a place */
export const photosUrl = (id) => `/restaurants/${id}/photos`;

/** Lists show the newest photo of a place. @param {number} id of a place */
const touched = (id) => [photosUrl(id), '/restaurants/paginated', '/lists/'];

/** @returns {readonly Upload[]} of all places */
const uploads = () => state.ui['uploads'] ?? [];

/** @param {number} id of a place */
export const uploadsOf = (id) => uploads().filter(({ place }) => place === id);

/** What was stored since nothing was on its way: one Undo takes it back. @type {string[]} */
let stored = [];

/**
 * Shrinks and sends photos, two at once, also after their screen was left.
 * @param {number} place
 * @param {Iterable<File>} files
 */
export function addPhotos(place, files) {
  if (uploads().every(({ state }) => state === 'failed')) stored = [];
  const more = [...files].map(
    (file) =>
      /** @type {Upload} */ ({
        key: newKey(),
        place,
        file,
        picture: URL.createObjectURL(file),
        state: 'waiting',
        share: 0,
      }),
  );
  setUi({ uploads: [...uploads(), ...more] });
  sendNext();
}

/** @param {string} key @param {Partial<Upload>} changes */
function alter(key, changes) {
  setUi({ uploads: uploads().map((one) => (one.key === key ? { ...one, ...changes } : one)) });
}

/** @param {string} key */
export function retryUpload(key) {
  alter(key, { state: 'waiting', share: 0 });
  sendNext();
}

/** @param {string} key */
export function dropUpload(key) {
  const upload = uploads().find((one) => one.key === key);
  if (upload) URL.revokeObjectURL(upload.picture);
  setUi({ uploads: uploads().filter((one) => one.key !== key) });
}

function sendNext() {
  const sending = uploads().filter(({ state }) => state === 'sending').length;
  const waiting = uploads().filter(({ state }) => state === 'waiting');
  for (const upload of waiting.slice(0, AT_ONCE - sending)) void send(upload);
}

/** @param {Upload} upload */
async function send({ key, place, file }) {
  alter(key, { state: 'sending' });
  const { photo, thumbnail } = await shrunk(file);
  const body = new FormData();
  body.set('photo', photo, file.name);
  if (thumbnail) body.set('thumbnail', thumbnail, 'thumbnail.jpg');
  const outcome = await act({
    method: 'POST',
    path: photosUrl(place),
    body,
    touches: touched(place),
    quiet: true,
    label: words.photo(file.name),
    place: `restaurant ${place}`,
    headers: { 'Idempotency-Key': key },
    onSent: (share) => alter(key, { share }),
  });
  if (!outcome.ok) alter(key, { state: 'failed', fault: faultText(outcome.fault) });
  else {
    dropUpload(key);
    if (outcome.change !== null) stored.push(outcome.change);
    if (!outcome.queued) offerUndo(place);
  }
  sendNext();
}

/** @param {number} place */
function offerUndo(place) {
  const undo = async () => {
    for (const change of stored.splice(0)) await revert(change, touched(place));
  };
  toast({ text: words.added(stored.length), undo });
  setUndo(undo);
}

/**
 * @param {Photo} photo
 * @param {string} caption
 */
export const setCaption = ({ id, restaurant_id: place }, caption) =>
  act({
    method: 'PATCH',
    path: `/photos/${id}`,
    body: { caption },
    touches: touched(place),
    said: words.captionSaved,
    change: (edit) =>
      edit(photosUrl(place), (photos) =>
        photos.map((/** @type {Photo} */ one) => (one.id === id ? { ...one, caption } : one)),
      ),
  });

/** @param {Photo} photo */
export const deletePhoto = ({ id, restaurant_id: place }) =>
  act({
    method: 'DELETE',
    path: `/photos/${id}`,
    said: words.deleted,
    touches: touched(place),
    change: (edit) =>
      edit(photosUrl(place), (photos) => photos.filter((/** @type {Photo} */ one) => one.id !== id)),
  });
