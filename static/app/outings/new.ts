import * as format from '../base/format.js';
import { call, faultOf } from '../base/api.js';
import { fill, texts } from '../base/texts.js';
import { act, isSignedIn } from '../state/actions.js';
import { placeUrl } from '../state/place-actions.js';
import { navigate } from '../state/router.js';
import { answer, readDraft, setDraft } from '../state/store.js';
import { field, formFault, sends } from '../parts/form.js';
import { listName, ofPerson } from '../parts/mine.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { localTime } from './words.js';
import type { Sent, Values } from '../parts/form.js';
import type { Fault, List, Named, Outing, Page, State } from '../base/types.js';

const words = texts.outing;

const HOUR = 3_600_000;
const DINNER = 'T19:30';
/** Of the places around one, in kilometres, and how many there are in all. */
const AROUND = 3;
const MOST = 5;
const DRAFT = 'outing';

export const title = () => words.new;

export function needs(state: State) {
  const { list, place } = state.route.query;
  const url = place ? placeUrl(Number(place)) : list && '/lists';
  return isSignedIn(state) ? ['/categories', '/food-types', ...(url ? [url] : [])] : [];
}

/** What stands in the form: the next dinner, and the end of the vote an hour before, or half-way where it is soon. */
function valuesOf({ title = '', at: typed = '', closes_at: end = '' }: Values) {
  const now = Date.now();
  const dinners = [now, now + 24 * HOUR].map((time) => localTime(time).slice(0, 10) + DINNER);
  const at = [typed, ...dinners].find((time) => Date.parse(time) > now + HOUR / 2) ?? '';
  const time = Date.parse(at);
  const usual = localTime(Math.max(time - HOUR, (time + now) / 2));
  return { title, at, closes_at: Date.parse(end) > now ? end : usual };
}

export function view(state: State) {
  const values = valuesOf(readDraft<Values>(DRAFT) ?? {});
  const input = (name: keyof typeof values) => ({ name, label: words.fields[name], value: values[name] });
  const store = ({ target }: { target: HTMLInputElement }) =>
    setDraft(DRAFT, { ...readDraft<Values>(DRAFT), [target.name]: target.value });
  const time = { type: 'datetime-local', required: true };
  const { place } = state.route.query;
  const actions = html`<a class="button" href="/outings">${words.all}</a>`;
  const url = place ? placeUrl(Number(place)) : '/categories';
  const screen = { url, title: words.new, about: words.about, actions };
  return ofPerson(
    state,
    screen,
    () =>
      html`<form class="writing" novalidate @input=${store} @submit=${sends((typed) => create(state, typed))}>
        <p><b>${fromText(state)}</b></p>
        <p class="small soft lead">${place ? words.whatPlace : words.what}</p>
        ${formFault()} ${field({ ...input('at'), ...time })} ${field({ ...input('closes_at'), ...time })}
        ${field({ ...input('title'), max: 100 })}
        <p class="acts"><button class="button primary">${words.create}</button></p>
      </form>`,
  );
}

/** What is chosen from, in words. */
function fromText({ route: { query }, places }: State) {
  const { q, list, bbox, radius, place, price_level: levels, diet, min_rating: least, visited } = query;
  if (place) return fill(words.from.place, { name: places.get(Number(place))?.name ?? '' });
  const named = (url: string, ids = '') =>
    (answer<readonly Named[]>(url) ?? []).filter(({ id }) => ids.split(',').includes(String(id)));
  const lists = answer<readonly List[]>('/lists') ?? [];
  const found = lists.find(({ id, kind }) => list === (kind === 'own' ? String(id) : kind));
  const { diets, visitedChoices, ratingAtLeast }: Known = texts.explore;
  const what = [
    found && fill(words.from.list, { name: listName(found) }),
    q && fill(texts.common.quoted, { text: q }),
    ...[...named('/categories', query.category_id), ...named('/food-types', query.food_type_ids)].map(
      ({ name }) => name,
    ),
    levels && format.listed(levels.split(',').map((level) => format.price(Number(level)))),
    diet && format.listed(diet.split(',').map((one) => diets[one] ?? '')),
    least && fill(ratingAtLeast, { least: Number(least) }),
    visited && visitedChoices[visited],
    radius
      ? fill(words.from.near, { distance: format.distance(Number(radius) * 1000) })
      : bbox && words.from.area,
  ];
  return format.dotted(what) || words.from.all;
}
type Known = { ratingAtLeast: string } & Record<'diets' | 'visitedChoices', Readonly<Record<string, string>>>;

async function create(state: State, { title, ...typed }: Values): Promise<Sent> {
  const { lat, lng, radius, place, ...filters } = state.route.query;
  const [at = '', closes_at] = [typed.at, typed.closes_at].map((time = '') => new Date(time).toISOString());
  const near = radius && { near: { lat: Number(lat), lng: Number(lng), radius: Number(radius) } };
  try {
    const options = place && (await around(state, Number(place), at));
    if (options && options.length < 2) return { ok: false, faults: { '': words.few } };
    const body = { title, at, closes_at, ...(options ? { options } : { from: { ...filters, ...near } }) };
    const outcome = await act<Outing>({ method: 'POST', path: '/outings', body, quiet: true, noUndo: true });
    if (!outcome.ok) return refused(outcome.fault);
    setDraft(DRAFT, undefined);
    navigate(outcome.body.url, { replace: true });
    return outcome;
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

/** A place, and the best rated ones near it that are not closed at that time. */
async function around({ places }: State, id: number, at: string) {
  const { latitude: lat = null, longitude: lng = null } = places.get(id) ?? {};
  if (lat === null || lng === null) return [id];
  const query = `lat=${lat}&lng=${lng}&radius=${AROUND}&open_at=${at}&sort=rating&limit=${MOST}`;
  const { body } = await call<Page<Named>>(
    'GET',
    `/restaurants/paginated?${query}&include_suggestions=false`,
  );
  return [...new Set([id, ...body.data.map((one) => one.id)])].slice(0, MOST);
}

/** Says in the words of the app why there are too few places, or too many outings. */
function refused(fault: Fault): Sent {
  const { message } = fault;
  const few = /^Fewer than two places fit(?:; (\d+))?/.exec(message);
  const closed = /^([^;]+) is closed then/.exec(message)?.[1];
  const count = Number(few?.[1] ?? 0);
  const text = few
    ? `${words.few} ${count > 0 ? fill(words.fewClosed, { count }) : ''}`
    : closed
      ? fill(words.closedAt, { name: closed })
      : message.startsWith('At most') && words.tooMany;
  return text ? { ok: false, faults: { '': text } } : { ok: false, fault };
}
