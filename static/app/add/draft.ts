import { call } from '../base/api.js';
import { parsePlace } from './place-text.js';
import { positionOf, positionText, valuesOf, valuesOfFound, valuesOfText } from './fields.js';
import { readDraft, setDraft, setUi, state } from '../state/store.js';
import type { Found, Ui } from '../base/types.js';
import type { Place, Values } from './fields.js';

/**
 * What a person has said of a place and not yet sent. `text` stands in the box, `found` was looked up for it, `own` was
 * typed into fields and wins. `shared` is what another app shared for this draft.
 */
export interface PlaceDraft {
  readonly text?: string;
  readonly found?: Values | undefined;
  readonly own: Values;
  readonly shared?: string;
}

const SETTLED = 300;
// Places further away are other places.
const RADIUS_KM = 0.15;

export const placeDraft = (name: string) => readDraft<PlaceDraft>(name) ?? { own: {} };

/** What stands in the fields of a draft. */
export function draftValues({ text = '', found = {}, own }: PlaceDraft): Values {
  const read = [valuesOfText(parsePlace(text)), found].flatMap((values) => Object.entries(values));
  return { ...Object.fromEntries(read.filter(([, value]) => (value ?? null) !== null)), ...own };
}

export const setForm = (changes: Ui['place']) => setUi({ place: { ...state.ui.place, ...changes } });

let timer: ReturnType<typeof setTimeout>;

/** Looks for places that are here already and may be the one in the form, once the person pauses. */
function lookHere(pause = 0) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const { name, address, position } = draftValues(placeDraft('add'));
    const { lat, lng } = positionOf(position);
    const q = encodeURIComponent((name ?? address ?? '').slice(0, 200));
    const near = lat === undefined ? [] : [`/restaurants?lat=${lat}&lng=${lng}&radius=${RADIUS_KM}&limit=5`];
    setForm({ here: q === '' ? near : [...near, `/search?q=${q}&limit=5`] });
  }, pause);
}

export function typeText(text: string) {
  setDraft('add', { ...placeDraft('add'), text, found: undefined });
  setForm({ asked: undefined, twin: undefined });
  lookHere(SETTLED);
}

/** Fills the box with what another app shared or the address says, once for each. */
export function takeShared({ title, text, url }: Readonly<Record<string, string>>) {
  const shared = [title, text, url].filter(Boolean).join('\n');
  const isNew = shared !== '' && placeDraft('add').shared !== shared;
  if (isNew) setDraft('add', { text: shared, shared, own: {} });
  if (isNew && parsePlace(shared).unresolved) lookUp();
  else lookHere();
}

/** Looks up what is in the box: where its short link leads, or what the maps provider finds for its words. */
export function lookUp() {
  const { name, address, url, unresolved } = parsePlace(placeDraft('add').text ?? '');
  const q = encodeURIComponent([name, address].filter(Boolean).join(', ').slice(0, 200));
  if (unresolved) void take(valuesOf, 'POST', '/places/link', { url });
  else if (q !== '' && state.config?.maps.provider !== 'none') setForm({ asked: `/places/search?q=${q}` });
  lookHere();
}

/** Takes a place that was looked up into the form, with the details that the list of places leaves out. */
export function chooseFound(place: Found) {
  const draft = placeDraft('add');
  const found = valuesOfFound(place);
  // The person chose this place, with its name and address instead of those typed before.
  const own = Object.entries(draft.own).filter(([name]) => (found[name] ?? null) === null);
  setDraft('add', { ...draft, own: Object.fromEntries(own), found });
  setForm({ asked: undefined });
  void take(valuesOfFound, 'GET', `/places/${encodeURIComponent(place.place_id)}`);
  lookHere();
}

/** Takes an answer about the place into the draft, unless the person has gone on to another one meanwhile. */
async function take(read: (body: Found & Place) => Values, method: string, path: string, body?: unknown) {
  const { text, found } = placeDraft('add');
  try {
    const answer = await call<Found & Place>(method, path, { body });
    const draft = placeDraft('add');
    if (draft.text !== text || draft.found !== found) return;
    setDraft('add', { ...draft, found: { ...found, ...read(answer.body) } });
    lookHere();
  } catch {
    // What is there is enough to go on with.
  }
}

/** @param name of the draft */
export function setFields(name: string, values: Values) {
  const draft = placeDraft(name);
  setDraft(name, { ...draft, own: { ...draft.own, ...values } });
  setForm({ twin: undefined });
  if (name === 'add') lookHere(SETTLED);
}

export function setHere(name: string) {
  setForm({ notLocated: false });
  navigator.geolocation.getCurrentPosition(
    ({ coords }) => setFields(name, { position: positionText(coords.latitude, coords.longitude) }),
    () => setForm({ notLocated: true }),
    { enableHighAccuracy: true, timeout: 10_000 },
  );
}

export function forgetDraft(name: string) {
  setDraft(name, undefined);
  setUi({ place: undefined });
}
