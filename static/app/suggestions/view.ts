import { fill, texts } from '../base/texts.js';
import { closeDialog, mayWrite, openDialog } from '../state/actions.js';
import * as format from '../base/format.js';
import * as inbox from './inbox.js';
import { current, items, listUrl, pick, statusOf } from './inbox.js';
import { navigate, queryHref } from '../state/router.js';
import { age, button, empty, icon, track } from '../parts/parts.js';
import { placeMap } from '../parts/place-map.js';
import { placeHref } from '../parts/row.js';
import { likeness } from './likeness.js';
import { deleteOrAsk, loaded, openKeys } from '../parts/mine.js';
import { answer, setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import type { Restaurant, State, Suggestion } from '../base/types.js';

const common = texts.common;
const words = texts.suggestions;

export function needs(state: State) {
  const { sel } = state.route.query;
  const item = current(state);
  if (item) inbox.land(item.id);
  const near = item?.id === state.ui.inbox?.landed ? nearUrl(item) : undefined;
  const isElsewhere = sel !== undefined && items(state)?.every(({ id }) => String(id) !== sel);
  return [listUrl(statusOf(state)), ...(isElsewhere ? [`/suggestions/${sel}`] : []), ...(near ? [near] : [])];
}

export const title = () => common.tabs.suggestions;

export const keys: Readonly<Record<string, (state: State) => void>> = {
  j: (state) => inbox.walk(state, 1),
  k: (state) => inbox.walk(state, -1),
  x: (state) => pick(state, current(state)?.id),
  X: (state) => pick(state, current(state)?.id, true),
  e: (state) => {
    const item = current(state);
    if (item && mayWrite(state)) navigate(`/suggestions/${item.id}/edit`);
  },
  Escape: inbox.clearPicked,
  ...Object.fromEntries(
    Object.entries(inbox.VERDICTS).map(([key, verdict]) => [
      key,
      (state: State) => mayWrite(state) && inbox.decide(state, verdict),
    ]),
  ),
};

export const leave = () => setUi({ inbox: undefined });

export function view(state: State) {
  const { sel } = state.route.query;
  const listed = items(state);
  const shown = current(state);
  const picked = state.ui.inbox?.picked?.length ?? 0;
  const gone = () => (sel !== undefined && listed ? loaded(`/suggestions/${sel}`, () => nothing) : nothing);
  return html`<div
    class=${`explore moderate ${sel === undefined ? '' : 'page-of-one'} ${picked > 0 ? 'picking' : ''}`}
  >
    <section class="side inbox" data-scroll>
      ${head(state, listed?.length, picked)} ${list(state, shown)}
    </section>
    <div class="one">
      ${sel === undefined ? nothing : phoneBar(state, listed, shown)}
      ${shown ? html`${card(state, shown)} ${bar(state, shown, picked)}` : gone()}
    </div>
  </div>`;
}

function head(state: State, count: number | undefined, picked: number) {
  const status = statusOf(state);
  const done = inbox.doneToday();
  const chip = (one: typeof status) =>
    html`<a
      class="chip"
      aria-current=${one === status ? 'true' : nothing}
      href=${queryHref({ status: one, sel: undefined })}
      >${one === status ? icon('check', 14) : nothing}${words.statuses[one]}
      ${one === status && count !== undefined ? format.count(count) : nothing}</a
    >`;
  const today = html`<p class="tiny soft done">
    ${track(done / (done + (count ?? 0)))} ${fill(words.doneToday, { count: done })}
  </p>`;
  const selected = html`<p class="small picked" role="status">
    ${fill(words.selected, { count: picked })} ${button(words.clear, inbox.clearPicked, 'link')}
  </p>`;
  return html`<header class="rule">
    <div class="leader plain">
      <h1>${common.tabs.suggestions}</h1>
      ${done > 0 ? today : nothing}
    </div>
    <nav class="chips" aria-label=${common.tabs.suggestions}>${inbox.STATUSES.map(chip)}</nav>
    ${picked > 0 ? selected : nothing} ${age(state.data[listUrl(status)])}
  </header>`;
}

const list = (state: State, shown: Suggestion | undefined) =>
  loaded(listUrl(statusOf(state)), () => {
    const listed = items(state) ?? [];
    if (listed.length === 0)
      return empty(words.none[statusOf(state)], html`<a class="button" href="/add">${words.suggest}</a>`);
    const draw = (item: Suggestion) => row(state, item, item.id === shown?.id);
    return html`<ul class="rows">
      ${repeat(listed, ({ id }) => id, draw)}
    </ul>`;
  });

function row(state: State, item: Suggestion, isShown: boolean) {
  const { id, name, author, created_at: at, category, address } = item;
  const twin = twinOf(item);
  const tag = twin ? fill(words.looksLike, { name: twin.place.name }) : address ? '' : words.noAddress;
  const line = [category?.name, address?.split(',')[0]].filter(Boolean).join(' · ');
  const box = html`<label class="check"
    ><input
      type="checkbox"
      aria-label=${fill(words.select, { name })}
      .checked=${state.ui.inbox?.picked?.includes(id) ?? false}
      @click=${({ shiftKey }: MouseEvent) => pick(state, id, shiftKey)}
  /></label>`;
  return html`<li class=${isShown ? 'row selected' : 'row'} data-row=${id}>
    ${mayWrite(state) ? box : nothing}
    <div class="in">
      <div class="leader plain">
        <a
          class="name"
          href=${queryHref({ sel: String(id) })}
          aria-current=${isShown ? 'true' : nothing}
          data-focus=${`row-${id}`}
          >${name}</a
        >
        <span class="tiny soft">${[author?.username, format.ago(at)].filter(Boolean).join(' · ')}</span>
      </div>
      <p class="small soft cut">
        ${tag ? html`<b class="warn">${icon('warning', 14)} ${tag}</b>${line && ' · '}` : nothing}${line}
      </p>
    </div>
  </li>`;
}

function phoneBar(state: State, listed: readonly Suggestion[] | undefined, shown: Suggestion | undefined) {
  const at = listed?.findIndex(({ id }) => id === shown?.id) ?? -1;
  const status = words.statuses[statusOf(state)].toLowerCase();
  return html`<div class="phone top-of-one">
    <a class="button plain only" href=${queryHref({ sel: undefined })} aria-label=${words.backToList}
      >${icon('back', 20)}</a
    >
    <b class="small"
      >${at < 0 ? nothing : fill(words.place, { at: at + 1, total: listed?.length ?? 0, status })}</b
    >
    ${shown && mayWrite(state) ? moreButton(state, shown) : html`<span></span>`}
  </div>`;
}

// What is further away is another place.
const RADIUS_KM = 0.15;

/** The address of the places around a suggestion. */
const nearUrl = (item: Suggestion | undefined) =>
  item && item.latitude !== null
    ? `/restaurants?lat=${item.latitude}&lng=${item.longitude}&radius=${RADIUS_KM}&limit=5`
    : undefined;

/** All that is known of a suggestion, and the place that it looks like. */
function card(state: State, item: Suggestion) {
  const { name, author, notes, status, restaurant_id: made, latitude: lat, longitude: lng } = item;
  const { category, food_types: foods, address, phone, website } = item;
  const facts = [
    [words.fields.category, category?.name],
    [common.kinds.food, foods.map((food) => food.name).join(', ')],
    [words.fields.address, address],
    [words.fields.phone, phone && html`<a href=${`tel:${phone.replace(/[^+\d]/g, '')}`}>${phone}</a>`],
    [
      words.fields.website,
      website && html`<a href=${website} target="_blank" rel="noopener noreferrer">${website}</a>`,
    ],
  ] as const;
  return html`<article class="card">
    <div class="title rule">
      <h2>${name}</h2>
      <p class="soft">
        ${author ? html`${words.by} <b>${author.username}</b>,` : common.status.suggestion}
        ${format.ago(item.created_at)}${status === statusOf(state) ? nothing : ` · ${words.statuses[status]}`}
      </p>
    </div>
    <div class="beside">
      <div>
        <dl>
          ${facts.map(
            ([label, value]) =>
              value &&
              html`<dt>${label}</dt>
                <dd>${value}</dd>`,
          )}
        </dl>
        ${notes && html`<p class="said">${notes}</p>`}
      </div>
      ${lat !== null && lng !== null && state.config ? placeMap(state.config, { position: { lat, lng }, mark: '?' }) : nothing}
    </div>
    ${made && html`<p><a href=${`/restaurants/${made}`}>${fill(words.open, { name })}</a></p>`}
    <div role="status">${twinBox(item)}</div>
  </article>`;
}

/** The place nearby that a suggestion looks like, as far as it is known. */
function twinOf(item: Suggestion) {
  const near = answer<readonly Restaurant[]>(nearUrl(item)) ?? [];
  for (const place of near) {
    const traits = place.is_suggestion && place.id === item.id ? undefined : likeness(item, place);
    if (traits) return { place, ...traits };
  }
  return undefined;
}

function twinBox(item: Suggestion) {
  const twin = twinOf(item);
  if (!twin) return nothing;
  const { place, name, same, different } = twin;
  const { avg_rating: means, distance = 0, category, address } = place;
  const theirs = { ...place, category: category?.name, street: address };
  const rating = { score: format.score(means.overall), count: means.count };
  const rated = means.count === 0 ? common.notRated : fill(words.rated, rating);
  const traits = [
    ...(name ? [words.names[name]] : []),
    ...same.map((trait) => fill(words.same, { trait: words.traits[trait] })),
    ...different.map((trait) =>
      fill(words.different, { trait: words.traits[trait], value: theirs[trait] ?? '' }),
    ),
  ];
  return html`<div class="twin-box">
    ${icon('warning', 22)}
    <p>
      <b>${fill(words.looksLike, { name: place.name })}</b>,
      ${fill(words.away, { distance: format.distance(distance * 1000) })}, ${rated}<br />
      <span class="small soft">${traits.join(' · ')}</span>
    </p>
    <a class="button" href=${placeHref(place)}>${fill(words.open, { name: place.name })}</a>
  </div>`;
}

/** What can be done with the suggestion that is shown, or with those that are selected. */
function bar(state: State, shown: Suggestion, picked: number) {
  const { user } = state.session;
  const isOwn = user && shown.author?.id === user.id && shown.status === 'pending';
  if (!mayWrite(state)) return isOwn ? html`<div class="bar">${removeButton(state, shown)}</div>` : nothing;
  const verdicts = Object.entries(inbox.VERDICTS).filter(
    ([, verdict]) => picked > 0 || inbox.mayGet(shown, verdict),
  );
  if (verdicts.length === 0) return nothing;
  return html`<div class="bar">
    ${verdicts.map(([key, verdict]) =>
      button(
        html`${words.verbs[verdict]}${picked > 0 ? html` <span class="desk">${picked}</span>` : nothing}
          <kbd class="desk" aria-hidden="true">${key}</kbd>`,
        () => inbox.decide(state, verdict),
        verdict === 'converted' ? 'button primary' : 'button',
      ),
    )}
    <span class="desk small soft hints">
      ${button(html`<kbd>?</kbd> ${words.keys}`, openKeys, 'link')} ${moreButton(state, shown)}
    </span>
  </div>`;
}

function moreButton(state: State, item: Suggestion) {
  const { id, name, status } = item;
  const label = fill(words.moreOf, { name });
  const edit = html`<li>
    <a class="button plain" href=${`/suggestions/${id}/edit`} @click=${closeDialog}>${words.edit}</a>
  </li>`;
  const body = () =>
    html`<h2>${name}</h2>
      <ul class="choices">
        ${status === 'converted' ? nothing : edit}
        <li>${removeButton(state, item, 'button plain danger')}</li>
      </ul>`;
  return button(icon('more', 20), () => openDialog({ label, body }), 'button plain only', { label });
}

function removeButton(state: State, { id, name }: Suggestion, kind?: string) {
  const remove = () => (closeDialog(), inbox.removeSuggestion({ id, name }));
  return button(words.remove, () => deleteOrAsk(state, fill(words.removeForEver, { name }), remove), kind);
}
