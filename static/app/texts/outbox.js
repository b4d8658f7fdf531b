import { define } from '../texts.js';

export const words = define({
  none: 'Nothing waits to be sent.',
  others: (/** @type {number} */ count) =>
    `The account last used in this browser has ${count === 1 ? '1 thing' : `${count} things`} left to send. They go out when it signs in again, and are deleted when another account signs in or after 7 days.`,
  deleteOthers: 'Delete now',
  askDeleteOthers: 'Delete what was never sent?',
  waits: (/** @type {string} */ ago) => `Since ${ago}. Will be sent when there is a connection.`,
  old: (/** @type {string} */ ago) => `From ${ago}. After so long it may have been done already.`,
  refused: (/** @type {string} */ reason) => `Refused: ${reason}`,
  discard: 'Discard',
  send: 'Send',
  again: 'Send again',
});
