import { call, faultOf } from '../base/api.js';
import { positionOf, positionText, valuesOf } from './fields.js';
import { parsePlace } from './place-text.js';
import { readDraft, setDraft, setUi, state } from '../state/store.js';
import { similarUrl } from '../parts/similar.js';
import type { Found, Ui } from '../base/types.js';
import type { Place, Values } from './fields.js';

/**
 * What a person has said of a place and not yet sent. `text` stands in the box, `found` was looked up for it, `own` was
 * typed into fields and wins. `shared` is what another app shared for this draft.
 */
interface PlaceDraft {
  readonly text?: string;
  readonly found?: Values | undefined;
  readonly own: Values;
  readonly shared?: string;
}

const SETTLED = 300;
// Places further away are other places.
const RADIUS_KM = 0.15;

export const placeDraft = (name = 'add') => readDraft<PlaceDraft>(name) ?? { own: {} };

/** What stands in the fields of a draft. */
export function draftValues({ text = '', found = {}, own }: PlaceDraft): Values {
  const { lat, lng, osm, ...read } = parsePlace(text);
  const said = { ...read, position: positionText(lat, lng), external_ids: osm && { osm } };
  const known = [said, found].flatMap((values) => Object.entries(values));
  return { ...Object.fromEntries(known.filter(([, value]) => (value ?? null) !== null)), ...own };
}

export const setForm = (changes: Ui['place']) => setUi({ place: { ...state.ui.place, ...changes } });

let timer: ReturnType<typeof setTimeout>;

/** Looks for places that are here already and may be the one in the form, once the person pauses. */
function lookHere(pause = 0) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const { name, address, phone, website, position } = draftValues(placeDraft());
    const { lat, lng } = positionOf(position);
    const near =
      lat === undefined ? undefined : `/restaurants?lat=${lat}&lng=${lng}&radius=${RADIUS_KM}&limit=5`;
    setForm({ here: name?.trim() ? similarUrl({ name, address, phone, website, lat, lng }) : near });
  }, pause);
}

function change(changes: Partial<PlaceDraft>, pause?: number) {
  setDraft('add', { ...placeDraft(), ...changes });
  lookHere(pause);
}

export function typeText(text: string) {
  setForm({ asked: undefined, twin: undefined, isMany: false });
  change({ text, found: undefined }, SETTLED);
}

/** Fills the box with what another app shared or the address says, once for each. */
export function takeShared({ title, text, url }: Readonly<Record<string, string>>) {
  const shared = [title, text, url].filter(Boolean).join('\n');
  const isNew = shared !== '' && placeDraft().shared !== shared;
  if (isNew) setDraft('add', { text: shared, shared, own: {} });
  if (isNew && parsePlace(shared).unresolved) lookUp();
  else lookHere();
}

/** Looks up what is in the box: where its short link leads, or what the maps provider finds for its words. */
export function lookUp() {
  const { name, address, url, unresolved } = parsePlace(placeDraft().text ?? '');
  const q = encodeURIComponent([name, address].filter(Boolean).join(', ').slice(0, 200));
  if (unresolved) void take('POST', '/places/link', { url });
  else if (q !== '' && state.config?.maps.provider !== 'none') setForm({ asked: `/places/search?q=${q}` });
  lookHere();
}

/** Takes a place that was looked up into the form, with the details that the list of places leaves out. */
export function chooseFound(place: Found) {
  const found = valuesOf(place);
  // The person chose this place, with its name and address instead of those typed before.
  const own = Object.entries(placeDraft().own).filter(([name]) => (found[name] ?? null) === null);
  setForm({ asked: undefined });
  change({ own: Object.fromEntries(own), found });
  void take('GET', `/places/${encodeURIComponent(place.place_id)}`);
}

/** Takes an answer about the place into the draft, unless the person has gone on to another one meanwhile. */
async function take(method: string, path: string, body?: unknown) {
  const { text, found } = placeDraft();
  try {
    const answer = await call<Place>(method, path, { body });
    const draft = placeDraft();
    if (draft.text === text && draft.found === found)
      change({ found: { ...found, ...valuesOf(answer.body) } });
  } catch (error) {
    // What is there is enough to go on with, unless the link leads elsewhere.
    if (placeDraft().text === text) setForm({ isMany: faultOf(error).message.includes('many places') });
  }
}

/** @param name of the draft */
export function setFields(name: string, values: Values) {
  setForm({ twin: undefined });
  const own = { ...placeDraft(name).own, ...values };
  if (name === 'add') change({ own }, SETTLED);
  else setDraft(name, { own });
}

export function forgetDraft(name: string) {
  setDraft(name, undefined);
  setUi({ place: undefined });
}
