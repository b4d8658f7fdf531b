import { fill, texts } from '../base/texts.js';
import { act, alters, faultText, newKey, revert, toast } from '../state/actions.js';
import { shrunk } from './photo.js';
import { setUi, state } from '../state/store.js';
import type { Photo, Upload } from '../base/types.js';

const words = texts.photos;

const AT_ONCE = 2;

/** @param id of a place */
export const photosUrl = (id: number) => `/restaurants/${id}/photos`;

/** The photos on their way to all places. */
const uploads = (): readonly Upload[] => state.ui.uploads ?? [];

/** @param id of a place */
export const uploadsOf = (id: number) => uploads().filter(({ place }) => place === id);

/** Shrinks and sends photos, two at once, also after their screen was left. One Undo takes back all of them. */
export function addPhotos(place: number, files: Iterable<File>) {
  if (uploads().every(({ state }) => state === 'failed')) setUi({ added: [] });
  const more = [...files].map((file): Upload => {
    const picture = URL.createObjectURL(file);
    return { key: newKey(), place, file, picture, state: 'waiting', share: 0 };
  });
  setUi({ uploads: [...uploads(), ...more] });
  sendNext();
}

const alter = (key: string, changes: Partial<Upload>) =>
  setUi({ uploads: uploads().map((one) => (one.key === key ? { ...one, ...changes } : one)) });

export function retryUpload({ key }: Upload) {
  alter(key, { state: 'waiting', share: 0 });
  sendNext();
}

export function dropUpload({ key, picture }: Upload) {
  URL.revokeObjectURL(picture);
  setUi({ uploads: uploads().filter((one) => one.key !== key) });
}

function sendNext() {
  const sending = uploads().filter(({ state }) => state === 'sending').length;
  const waiting = uploads().filter(({ state }) => state === 'waiting');
  for (const upload of waiting.slice(0, AT_ONCE - sending)) void send(upload);
}

async function send(upload: Upload) {
  const { key, place, file } = upload;
  alter(key, { state: 'sending' });
  const { photo, thumbnail } = await shrunk(file);
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
    onSent: (share) => alter(key, { share }),
  });
  if (outcome.ok) {
    dropUpload(upload);
    if (outcome.change !== null) offerUndo([...(state.ui.added ?? []), outcome.change]);
  } else alter(key, { state: 'failed', fault: faultText(outcome.fault) });
  sendNext();
}

/** @param added the changes in the log */
function offerUndo(added: readonly string[]) {
  setUi({ added });
  const undo = async () => {
    for (const change of added) await revert(change);
  };
  toast({ text: fill(words.added, { count: added.length }), undo });
}

export const setCaption = (photo: Photo, caption: string) => write(photo, words.captionSaved, caption);

export const deletePhoto = (photo: Photo) => write(photo, words.deleted);

/** @param caption undefined deletes the photo */
const write = ({ id, restaurant_id: place }: Photo, said: string, caption?: string) =>
  act({
    method: caption === undefined ? 'DELETE' : 'PATCH',
    path: `/photos/${id}`,
    body: caption === undefined ? undefined : { caption },
    said,
    change: alters(photosUrl(place), (photos: readonly Photo[]) =>
      photos.flatMap((one) => (one.id !== id ? one : caption === undefined ? [] : { ...one, caption })),
    ),
  });
