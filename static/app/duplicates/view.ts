import { faultText } from '../base/api.js';
import { fill, texts } from '../base/texts.js';
import { kindLine } from '../base/format.js';
import { act, inOrder, isSignedIn, mayWrite, needsUser, setUndo, toast } from '../state/actions.js';
import { invalidate } from '../state/data.js';
import { setQuery } from '../state/router.js';
import { answer, setUi, state } from '../state/store.js';
import { loaded, ofPerson, openKeys } from '../parts/mine.js';
import { button, empty, icon } from '../parts/parts.js';
import { placeMap } from '../parts/place-map.js';
import { awayText, ratedText, reasonsOf } from '../parts/similar.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import type { Write } from '../state/actions.js';
import type { Fault, Pair, PairPage, Restaurant, State, Ui } from '../base/types.js';

const common = texts.common;
const words = texts.similar;
const labels = texts.add.fields;

const FIRST = '/duplicates?limit=50';
const isOwn = (url: string) => url.startsWith(FIRST);
// How long to wait before another look at what the service has found.
const AGAIN = 1500;
// Metres: closer ones are one point on the map.
const NEXT_DOOR = 10;
// The next page is loaded when no more than this many pairs are left.
const AHEAD = 10;
const CHOICES = ['name', 'address', 'phone', 'website'] as const;
type Choice = (typeof CHOICES)[number];

const setPairs = (changes: Ui['pairs']) => setUi({ pairs: { ...state.ui.pairs, ...changes } });

const setDecided = (key: string, goes: number | undefined) =>
  setPairs({ decided: { ...state.ui.pairs?.decided, [key]: goes } });

const keyOf = ({ a, b }: Pair) => `${a.id}-${b.id}`;

/** Whether a pair waits for a decision, and has both of its places. */
function isOpen(pair: Pair) {
  const { decided = {} } = state.ui.pairs ?? {};
  const gone = Object.values(decided);
  return decided[keyOf(pair)] === undefined && !gone.includes(pair.a.id) && !gone.includes(pair.b.id);
}

/**
 * The open pairs, from as many pages as it takes to reach the pair of the address and a few more, and the position `at` of
 * the one to show: the pair of the address, or the next open one after it.
 */
function listed({ route }: State) {
  const { sel } = route.query;
  const urls: string[] = [];
  const pairs: Pair[] = [];
  let [at, hidden, isReached] = [-1, 0, sel === undefined];
  let next: string | null = '';
  while (next !== null && (at < 0 || at >= pairs.length - AHEAD)) {
    const url: string = FIRST + (next && `&cursor=${encodeURIComponent(next)}`);
    urls.push(url);
    const page = answer<PairPage>(url);
    if (!page) break;
    for (const pair of page.data) {
      isReached ||= sel === keyOf(pair);
      if (!isOpen(pair)) {
        hidden += 1;
        continue;
      }
      if (isReached && at < 0) at = pairs.length;
      pairs.push(pair);
    }
    next = page.next_cursor;
    // No open pair follows the one of the address, or that one no longer exists.
    if (next === null && at < 0) at = isReached ? pairs.length - 1 : 0;
  }
  return { urls, pairs, at, hidden };
}

function shown(state: State) {
  const { pairs, at } = listed(state);
  return pairs[at];
}

function select(key: string | undefined) {
  setPairs({ chosen: undefined });
  setQuery({ sel: key }, { replace: true, top: true });
}

function walk(state: State, step: 1 | -1) {
  const { pairs, at } = listed(state);
  const next = pairs[at + step];
  if (next) select(keyOf(next));
}

/** Sends what was decided on a pair, of which the place `goes` leaves, and shows the next one meanwhile. */
const decide = needsUser('pair', (pair: Pair, goes: number, said: string, writes: readonly Write[]) => {
  const key = keyOf(pair);
  const backs: Write[] = [];
  const undo = () => inOrder(() => takeBack(key, backs.splice(0)));
  const sendAll = async () => {
    let fault: Fault | undefined;
    for (const write of writes) {
      const outcome = await act({ ...write, quiet: true, noUndo: true, reload: false });
      if (!outcome.ok) {
        fault = outcome.fault;
        break;
      }
      const { change } = outcome;
      backs.unshift(
        change === null
          ? { method: 'DELETE', path: `/duplicates/dismissed/${key.replace('-', '/')}` }
          : { method: 'POST', path: `/changes/${change}/revert` },
      );
    }
    // What was found stays as it is until all of it was decided on, or the screen was left.
    invalidate((url) => !isOwn(url) || !state.ui.pairs || listed(state).pairs.length === 0);
    if (fault && backs.length === 0) setDecided(key, undefined);
    const refused = fault && fill(common.notSaved, { reason: faultText(fault) });
    setUi({
      toast: {
        text: refused ?? said,
        ...(fault && { kind: 'fault' }),
        undo: backs.length > 0 ? undo : undefined,
      },
    });
  };
  setDecided(key, goes);
  // If the next pair is not loaded yet, this one stays in the address, and the one after it is shown once it arrives.
  select(keyOf(shown(state) ?? pair));
  inOrder(sendAll);
  setUndo(undo);
});

/** @param writes that take back what was decided on a pair */
async function takeBack(key: string, writes: readonly Write[]) {
  for (const write of writes)
    if (!(await act({ ...write, noUndo: true, reload: false })).ok) return invalidate();
  if (writes.length === 0) return;
  setDecided(key, undefined);
  invalidate();
  toast({ text: words.returned });
  if (state.route.pattern === '/duplicates') select(key);
}

/** Whether both places say something, and not the same. */
const differs = ({ a, b }: Pair, name: Choice) => Boolean(a[name] && b[name]) && a[name] !== b[name];

/**
 * Which place of a pair stays: the one with more ratings or else the older one, unless the person chose name and address of
 * the other one. `of` says whose value of a field stays.
 */
function outcomeOf(pair: Pair) {
  const { a, b } = pair;
  const chosen: Partial<Record<string, number>> = state.ui.pairs?.chosen ?? {};
  const isSecond = b.avg_rating.count - a.avg_rating.count || a.id - b.id;
  const [first, second] = isSecond > 0 ? [b, a] : [a, b];
  const open = (['name', 'address'] as const).filter((name) => differs(pair, name));
  const isOther = open.length > 0 && open.every((name) => chosen[name] === second.id);
  const [stays, goes] = isOther ? [second, first] : [first, second];
  return { stays, goes, of: (name: Choice) => chosen[name] ?? stays.id };
}

function merge(state: State) {
  const pair = shown(state);
  if (!pair || !mayWrite(state)) return;
  const { stays, goes, of } = outcomeOf(pair);
  const taken = CHOICES.filter((name) => differs(pair, name) && of(name) === goes.id);
  const { latitude, longitude } = goes;
  const body = {
    ...Object.fromEntries(taken.map((name) => [name, goes[name]])),
    // An address has its position.
    ...(taken.includes('address') && latitude !== null && { latitude, longitude }),
  };
  const path = `/restaurants/${stays.id}`;
  const change = taken.length > 0 ? [{ method: 'PUT', path, body }] : [];
  const name = of('name') === goes.id ? goes.name : stays.name;
  const writes = [{ method: 'POST', path: `${path}/merge`, body: { from: [goes.id] } }, ...change];
  decide(pair, goes.id, fill(words.merged, { name }), writes);
}

function dismiss(state: State) {
  const pair = shown(state);
  if (!pair || !mayWrite(state)) return;
  const body = { a: pair.a.id, b: pair.b.id };
  decide(pair, 0, words.dismissed, [{ method: 'POST', path: '/duplicates/dismiss', body }]);
}

let timer: ReturnType<typeof setTimeout>;

export function needs(state: State) {
  if (!isSignedIn(state)) return [];
  clearTimeout(timer);
  const isLooking = answer<PairPage>(FIRST)?.searching && state.data[FIRST]?.state === 'ok';
  if (isLooking) timer = setTimeout(invalidate, AGAIN, isOwn);
  return listed(state).urls;
}

export const title = () => words.title;

export const keys = {
  j: (state: State) => walk(state, 1),
  k: (state: State) => walk(state, -1),
  m: merge,
  n: dismiss,
};

export function leave() {
  setUi({ pairs: undefined });
  invalidate(isOwn);
}

export const view = (state: State) =>
  html`${ofPerson(state, { url: FIRST, title: words.title, about: words.about }, (first: PairPage) => {
    const { urls, pairs, at, hidden } = listed(state);
    const pair = pairs[at];
    // Until all was looked at, better ones may come before.
    if (first.searching) return html`<p role="status">${empty(words.looking)}</p>`;
    if (pair) return card(state, pair, fill(words.place, { at: at + 1, total: first.total - hidden }));
    return loaded(urls.at(-1) ?? FIRST, () => empty(words.none));
  })}`;

function card(state: State, pair: Pair, place: string) {
  const sides = [pair.a, pair.b];
  const { of } = outcomeOf(pair);
  const points = sides.flatMap(({ id, latitude: lat, longitude: lng, name }) =>
    lat === null || lng === null ? [] : [[id, lat, lng, null, 0, name] as const],
  );
  const certain = html`<b class="open">${icon('check', 14)} ${words.certain}</b>`;
  const said = [place, pair.certain && certain, ...reasonsOf(pair), awayText(pair, 'apart')].filter(Boolean);
  return html`<div class="moderate twice">
    <p class="small soft" role="status">${said.map((text, at) => [at > 0 ? ' · ' : '', text])}</p>
    <div class="two">${sides.map(head)}</div>
    ${CHOICES.map((name) => {
      const isOffered = mayWrite(state) && differs(pair, name);
      const cell = (one: Restaurant) => (isOffered ? radio(name, one, of(name)) : one[name]);
      return row(labels[name], sides.map(cell), isOffered);
    })}
    ${row(
      labels.category_id,
      sides.map((one) => kindLine(one)),
    )}
    ${points.length > 1 && Number(pair.distance_m) >= NEXT_DOOR ? placeMap({ points }) : nothing}
    ${mayWrite(state) ? html`<p class="small soft">${words.effect}</p>` : nothing} ${bar(state)}
  </div>`;
}

const head = ({ id, name, cover, avg_rating: means }: Restaurant) =>
  html`<div class="leader">
    ${cover && html`<img class="thumb" src=${cover.thumbnail_url} width="48" height="48" alt="" />`}
    <a class="button" href=${`/restaurants/${id}`} data-focus=${`open-${id}`}
      >${common.open}<span class="vh"> ${name}</span></a
    >
    <span class="small soft">${ratedText(means)}</span>
  </div>`;

/** What both places say: once where it is the same or one says nothing. */
function row(label: string, values: readonly unknown[], isChoice = false) {
  const [one, other] = values;
  const isSame = !one || !other || one === other;
  if (!one && !other) return nothing;
  return html`<div
    class=${isSame ? 'two' : 'two differs'}
    role=${isChoice ? 'radiogroup' : 'group'}
    aria-label=${label}
  >
    <span class="small soft" aria-hidden="true">${label}</span>
    ${isSame ? html`<bdi class="both soft">${values.find(Boolean)}</bdi>` : values.map((value) => (isChoice ? html`<span>${value}</span>` : html`<bdi>${value}</bdi>`))}
  </div>`;
}

const radio = (name: Choice, one: Restaurant, chosen: number) =>
  html`<label class="check"
    ><input
      type="radio"
      name=${name}
      .checked=${live(chosen === one.id)}
      @change=${() => setPairs({ chosen: { ...state.ui.pairs?.chosen, [name]: one.id } })}
    /><bdi>${one[name]}</bdi></label
  >`;

function bar(state: State) {
  const deeds = [
    [words.merge, 'm', merge, 'button primary'],
    [words.different, 'n', dismiss, 'button'],
    [words.before, 'k', keys.k, 'button'],
    [words.next, 'j', keys.j, 'button'],
  ] as const;
  return html`<div class="bar">
    ${deeds
      .slice(mayWrite(state) ? 0 : 2)
      .map(([text, key, run, kind]) =>
        button(html`${text} <kbd class="desk" aria-hidden="true">${key}</kbd>`, () => run(state), kind),
      )}
    <span class="desk small soft hints"
      >${button(html`<kbd>?</kbd> ${texts.suggestions.keys}`, openKeys, 'link')}</span
    >
  </div>`;
}
