/** How texts are shown; `pseudo` changes every one of them, so that a word outside the texts is found. */
export const language = { pseudo: false };

const LETTERS = 'áƀćđéƒǵĥíĵķłḿńóṕɋŕśťúṽẃẋýź';

function show(value: unknown) {
  if (!language.pseudo || typeof value !== 'string') return value;
  return value.toLowerCase().replace(/[a-z]/g, (letter) => LETTERS[letter.charCodeAt(0) - 97] ?? letter);
}

const showPart = (part: unknown): unknown => (Array.isArray(part) ? part.map(showPart) : show(part));

/** Declares texts: strings, functions to strings, and groups of both. All words of the app stand in such tables. */
export function define<Words extends object>(words: Words): Words {
  return new Proxy(words, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value === 'function') return (...values: unknown[]) => show(value(...values));
      if (Array.isArray(value)) return value.map(showPart);
      return typeof value === 'object' && value !== null ? define(value) : show(value);
    },
  });
}

/** Texts of the frame of the app and of parts that several screens have. */
export const words = define({
  skip: 'Skip to content',
  main: 'Main',
  more: 'More',
  add: 'Add',
  back: 'Back',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  remove: 'Remove',
  edit: 'Edit',
  retry: 'Try again',
  undo: 'Undo',
  signIn: 'Sign in',
  signOut: 'Sign out',
  sessionEnded: 'Your session has ended. Sign in again.',
  sessionEndedUnsent: 'Your session has ended. Sign in again to send what is waiting.',
  loading: 'Loading',
  reload: 'Reload',
  tabs: {
    explore: 'Explore',
    suggestions: 'Suggestions',
    lists: 'Lists',
    visits: 'Visits',
    activity: 'Activity',
    settings: 'Settings',
  },
  search: { label: 'Search places', placeholder: 'Name, street, dish…' },
  settingsOf: (name: string) => `Settings of ${name}`,
  newVersion: 'There is a new version of this page.',
  offline: 'No connection.',
  offlineSince: (time: string) => `No connection. From ${time}.`,
  waiting: (count: number) => `${count} waiting`,
  needsYou: (count: number) => (count === 1 ? '1 needs you' : `${count} need you`),
  failed: {
    title: 'This did not work',
    unreachable: 'The service cannot be reached.',
    tooMany: 'Too many requests at once. Try again in a moment.',
    server: 'The service has a problem.',
    forbidden: 'For administrators',
    request: (id: string) => `Request ${id}`,
  },
  missing: {
    title: 'Not here any more',
    text: 'It was deleted, or the address is wrong.',
    action: 'Explore',
  },
  notRated: 'not rated',
  score: (overall: string, count: number, [food, service, room]: string[]) =>
    `${overall} of 5 from ${count} ${count === 1 ? 'rating' : 'ratings'}: food ${food}, service ${service}, room ${room}`,
  kinds: { food: 'Food', service: 'Service', ambiance: 'Room' },
  rateName: (name: string, now: string) => `Rate ${name}, now ${now}`,
  opening: {
    open: 'Open',
    until: (time: string) => `Open until ${time}`,
    closes: (minutes: number) => `Closes in ${minutes} min`,
    closed: 'Closed',
    opens: (time: string) => `Closed, opens ${time}`,
    unknown: 'Hours unknown',
  },
  been: (times: number) => (times === 1 ? 'Been once' : `Been ${times}×`),
  want: 'Want to go',
  favourite: 'Favourite',
  status: { temporarily_closed: 'Temporarily closed', closed: 'Closed for good', suggestion: 'Suggested' },
  stars: (count: number) => (count === 1 ? '1 star' : `${count} stars`),
  optional: 'optional',
  delete: 'Delete for good',
  forGood: 'This cannot be undone.',
  undone: 'Undone',
  notSaved: (reason: string) => `Not saved: ${reason}`,
  unsent: 'Not sent yet',
  willBeSent: 'Will be sent when there is a connection',
  willBeSentSignedIn: 'Will be sent when you sign in again',
  saved: 'Saved',
});
