import { define } from '../texts.js';

export const words = define({
  label: (/** @type {number} */ all) => `Photos, ${all}`,
  more: (/** @type {number} */ more) => (more === 1 ? '+1 photo' : `+${more} photos`),
  nth: (/** @type {number} */ at, /** @type {number} */ all) => `${at} of ${all}`,
  title: (/** @type {number} */ at, /** @type {number} */ all, /** @type {string} */ name) =>
    `Photo ${at} of ${all}: ${name}`,
  photo: (/** @type {string} */ file) => `Photo ${file}`,
  none: 'No photos yet.',
  add: 'Add photos',
  addTitle: (/** @type {string} */ name) => `Photos of ${name}`,
  addHint: 'JPEG, PNG or WebP, several at once. Where a photo was taken is not sent.',
  photoOf: (/** @type {string} */ name) => `Photo of ${name}`,
  sending: (/** @type {number} */ percent) => `${percent} %`,
  waiting: 'Waiting',
  added: (/** @type {number} */ photos) => (photos === 1 ? '1 photo added' : `${photos} photos added`),
  previous: 'Previous photo',
  next: 'Next photo',
  by: (/** @type {string} */ name, /** @type {string} */ day) => `${name}, ${day}`,
  caption: 'Caption',
  editCaption: 'Edit caption',
  captionSaved: 'The caption is saved',
  delete: 'Delete photo',
  askDelete: 'Delete this photo?',
  deleted: 'The photo is deleted',
});
