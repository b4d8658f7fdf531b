import { define } from '../texts.js';

export const words = define({
  none: 'Nothing waits to be sent.',
  waits: (/** @type {string} */ ago) => `Since ${ago}. Will be sent when there is a connection.`,
  old: (/** @type {string} */ ago) => `From ${ago}. After so long it may have been done already.`,
  refused: (/** @type {string} */ reason) => `Refused: ${reason}`,
  discard: 'Discard',
  send: 'Send',
  again: 'Send again',
});
