import { mayWrite } from './actions.js';
import { call } from './api.js';
import { valuesOfFound, valuesOfText } from './place-fields.js';
import { parsePlace } from './place-text.js';
import { readDraft, setDraft, setUi, state } from './store.js';

/** @import { Purpose, Values } from './place-fields.js' */

/**
 * What a person has said of a place and not yet sent. `text` stands in the box, `chosen` was looked up, `own` was typed
 * into fields and wins. `shared` is the address that the text came from.
 * @typedef {{ text?: string, chosen?: Values, own: Values, shared?: string }} PlaceDraft
 */

const SETTLED = 300;
const BETWEEN_LOOK_UPS = 1000;

/** The draft of a form. @param {string} name @returns {PlaceDraft} */
export const placeDraft = (name) => readDraft(name) ?? { own: {} };

/** What stands in the fields of a new place. @param {PlaceDraft} draft @returns {Values} */
export function draftValues({ text = '', chosen = {}, own }) {
  const known = Object.entries({ ...valuesOfText(parsePlace(text)), ...chosen, ...own });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

/** @type {ReturnType<typeof setTimeout>} */
let timer;

/** Takes what was typed into the box. @param {string} text */
export function typeText(text) {
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

/**
 * Takes a place that was looked up into the form, with the details that the list of places leaves out.
 * @param {{ place_id: string } & Values} found
 */
export async function chooseFound(found) {
  const draft = placeDraft('add');
  // The person chose this place, with its name and address instead of those typed before.
  const own = Object.entries(draft.own).filter(([name]) => (found[name] ?? null) === null);
  setDraft('add', { ...draft, own: Object.fromEntries(own), chosen: valuesOfFound(found) });
  setUi({ addLookUp: undefined });
  lookHere();
  try {
    const { body } = await call('GET', `/places/${encodeURIComponent(found.place_id)}`);
    const now = placeDraft('add');
    if (now.chosen?.['google_place_id'] === found.place_id)
      setDraft('add', { ...now, chosen: valuesOfFound({ ...found, ...body }) });
  } catch {
    // What the list said is enough to go on with.
  }
}

/**
 * Sets fields of a form.
 * @param {string} name of the draft
 * @param {Values} values
 */
export function setFields(name, values) {
  const draft = placeDraft(name);
  setDraft(name, { ...draft, own: { ...draft.own, ...values } });
  const faults = { ...state.ui.placeFaults };
  for (const field of Object.keys(values)) delete faults[field];
  setUi({ placeFaults: faults });
  if (name === 'add') later();
}

/**
 * Sets the position of a draft, to some ten centimetres.
 * @param {string} name
 * @param {number} lat
 * @param {number} lng
 */
export const setPosition = (name, lat, lng) =>
  setFields(name, {
    latitude: Number(lat.toFixed(6)),
    longitude: Number(lng.toFixed(6)),
    position: undefined,
  });

/**
 * Takes a position as it is typed or pasted: numbers, degrees or a link to a map. The text stays as it is meanwhile.
 * @param {string} name of the draft
 * @param {string} position
 */
export function typePosition(name, position) {
  const { lat, lng } = parsePlace(position);
  setFields(name, { position, latitude: lat ?? null, longitude: lng ?? null });
}

/** Puts the place of a draft where the person is. @param {string} name */
export function setHere(name) {
  setUi({ notLocated: false });
  navigator.geolocation.getCurrentPosition(
    ({ coords: { latitude, longitude } }) => setPosition(name, latitude, longitude),
    () => setUi({ notLocated: true }),
    { enableHighAccuracy: true, timeout: 10_000 },
  );
}

/** Forgets a draft and all that was found for it. @param {string} name */
export function forgetDraft(name) {
  setDraft(name, undefined);
  setUi({
    placeFaults: {},
    placeTwin: undefined,
    addHere: undefined,
    addLookUp: undefined,
    notLocated: false,
  });
}

/**
 * Fills the box with what another app shared, once for each address.
 * @param {Readonly<Record<string, string>>} query
 */
export function takeShared({ title, text, url }) {
  const shared = [title, text, url].filter(Boolean).join('\n');
  if (shared !== '' && placeDraft('add').shared !== shared)
    setDraft('add', { text: shared, shared, own: {} });
}

/** What the user may do with a new place. @param {import('./types.js').State} state @returns {Purpose} */
export const newPurpose = (state) => (mayWrite(state) ? 'add' : 'suggest');
