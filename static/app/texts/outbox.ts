import { define } from '../base/texts.js';

export const words = define({
  none: 'Nothing waits to be sent.',
  others: (count: number) =>
    `The account last used in this browser has ${count === 1 ? '1 thing' : `${count} things`} left to send. They go out when it signs in again, and are deleted when another account signs in or after 7 days.`,
  deleteOthers: 'Delete now',
  askDeleteOthers: 'Delete what was never sent?',
  waits: (ago: string) => `Since ${ago}. Will be sent when there is a connection.`,
  old: (ago: string) => `From ${ago}. After so long it may have been done already.`,
  refused: (reason: string) => `Refused: ${reason}`,
  discard: 'Discard',
  send: 'Send',
  again: 'Send again',
});
