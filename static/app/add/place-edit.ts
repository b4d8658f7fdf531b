import { mayWrite } from '../state/actions.js';
import { call } from '../base/api.js';
import { valuesOfFound, valuesOfText } from './fields.js';
import { parsePlace } from './place-text.js';
import { readDraft, setDraft, setUi, state } from '../state/store.js';
import type { Purpose, Values } from './fields.js';

/**
 * What a person has said of a place and not yet sent. `text` stands in the box, `chosen` was looked up, `own` was typed
 * into fields and wins. `shared` is the address that the text came from.
 */
export interface PlaceDraft {
  text?: string;
  chosen?: Values;
  own: Values;
  shared?: string;
}

const SETTLED = 300;
const BETWEEN_LOOK_UPS = 1000;

/** The draft of a form. */
export const placeDraft = (name: string): PlaceDraft => readDraft(name) ?? { own: {} };

/** What stands in the fields of a new place. */
export function draftValues({ text = '', chosen = {}, own }: PlaceDraft): Values {
  const known = Object.entries({ ...valuesOfText(parsePlace(text)), ...chosen, ...own });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

let timer: ReturnType<typeof setTimeout>;

/** Takes what was typed into the box. */
export function typeText(text: string) {
  setDraft('add', { ...placeDraft('add'), text, chosen: undefined });
  setUi({ addLookUp: undefined });
  later();
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(lookHere, SETTLED);
}

/** Looks for places that are here already and may be the one in the form. */
export function lookHere() {
  const { name, address, latitude, longitude } = draftValues(placeDraft('add'));
  setUi({ addHere: { q: String(name || address || '').slice(0, 200), latitude, longitude } });
}

let askedAt = 0;

/** Asks the maps provider for what is in the box, at most once a second. */
export function lookUp() {
  const { text = '' } = placeDraft('add');
  const { name = '', address = '' } = parsePlace(text);
  const q = [name, address].filter(Boolean).join(', ').slice(0, 200);
  if (q === '' || state.config?.maps.provider === 'none') return;
  clearTimeout(timer);
  timer = setTimeout(
    () => {
      askedAt = Date.now();
      lookHere();
      setUi({ addLookUp: q });
    },
    Math.max(0, askedAt + BETWEEN_LOOK_UPS - Date.now()),
  );
}

/** Takes a place that was looked up into the form, with the details that the list of places leaves out. */
export async function chooseFound(found: { place_id: string } & Values) {
  const draft = placeDraft('add');
  // The person chose this place, with its name and address instead of those typed before.
  const own = Object.entries(draft.own).filter(([name]) => (found[name] ?? null) === null);
  setDraft('add', { ...draft, own: Object.fromEntries(own), chosen: valuesOfFound(found) });
  setUi({ addLookUp: undefined });
  lookHere();
  try {
    const { body } = await call('GET', `/places/${encodeURIComponent(found.place_id)}`);
    const now = placeDraft('add');
    if (now.chosen?.google_place_id === found.place_id)
      setDraft('add', { ...now, chosen: valuesOfFound({ ...found, ...body }) });
  } catch {
    // What the list said is enough to go on with.
  }
}

/**
 * Sets fields of a form.
 * @param name of the draft
 */
export function setFields(name: string, values: Values) {
  const draft = placeDraft(name);
  setDraft(name, { ...draft, own: { ...draft.own, ...values } });
  const faults = { ...state.ui.placeFaults };
  for (const field of Object.keys(values)) delete faults[field];
  setUi({ placeFaults: faults });
  if (name === 'add') later();
}

/** Sets the position of a draft, to some ten centimetres. */
export const setPosition = (name: string, lat: number, lng: number) =>
  setFields(name, {
    latitude: Number(lat.toFixed(6)),
    longitude: Number(lng.toFixed(6)),
    position: undefined,
  });

/**
 * Takes a position as it is typed or pasted: numbers, degrees or a link to a map. The text stays as it is meanwhile.
 * @param name of the draft
 */
export function typePosition(name: string, position: string) {
  const { lat, lng } = parsePlace(position);
  setFields(name, { position, latitude: lat ?? null, longitude: lng ?? null });
}

/** Puts the place of a draft where the person is. */
export function setHere(name: string) {
  setUi({ notLocated: false });
  navigator.geolocation.getCurrentPosition(
    ({ coords: { latitude, longitude } }) => setPosition(name, latitude, longitude),
    () => setUi({ notLocated: true }),
    { enableHighAccuracy: true, timeout: 10_000 },
  );
}

/** Forgets a draft and all that was found for it. */
export function forgetDraft(name: string) {
  setDraft(name, undefined);
  setUi({
    placeFaults: {},
    placeTwin: undefined,
    addHere: undefined,
    addLookUp: undefined,
    notLocated: false,
  });
}

/** Fills the box with what another app shared, once for each address. */
export function takeShared({ title, text, url }: Readonly<Record<string, string>>) {
  const shared = [title, text, url].filter(Boolean).join('\n');
  if (shared !== '' && placeDraft('add').shared !== shared)
    setDraft('add', { text: shared, shared, own: {} });
}

/** What the user may do with a new place. */
export const newPurpose = (state: import('../base/types.js').State): Purpose =>
  mayWrite(state) ? 'add' : 'suggest';
