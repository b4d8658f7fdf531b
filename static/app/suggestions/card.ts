import { fill, texts } from '../base/texts.js';
import { closeDialog, mayWrite, openDialog } from '../state/actions.js';
import * as format from '../base/format.js';
import { likeness } from './likeness.js';
import { statusOf } from './inbox.js';
import { VERDICTS, decide, mayGet, removeSuggestion } from './verdicts.js';
import { answer } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { deleteOrAsk } from '../parts/ask.js';
import { openKeys } from '../parts/help.js';
import { icon } from '../parts/parts.js';
import { placeMap } from '../parts/place-map.js';
import type { Restaurant, State, Suggestion } from '../base/types.js';
import type { Trait } from './likeness.js';

const common = texts.common;
const words = texts.suggestions;

// What is further away is another place.
const RADIUS_KM = 0.15;

/** The address of the places around a suggestion. */
export const nearUrl = (item: Suggestion | undefined) =>
  item && item.latitude !== null
    ? `/restaurants?lat=${item.latitude}&lng=${item.longitude}&radius=${RADIUS_KM}&limit=5`
    : undefined;

/** All that is known of a suggestion, and the place that it looks like. */
export function card(state: State, item: Suggestion) {
  const {
    name,
    author,
    created_at: at,
    notes,
    status,
    restaurant_id: made,
    latitude: lat,
    longitude: lng,
  } = item;
  const map =
    lat !== null && lng !== null && state.config
      ? placeMap(state.config, { position: { lat, lng }, mark: '?' })
      : nothing;
  const isElsewhere = status !== statusOf(state);
  return html`<article class="card">
    <div class="title rule">
      <h2>${name}</h2>
      <p class="soft">
        ${author ? html`${words.by} <b>${author.username}</b>,` : common.status.suggestion}
        ${format.ago(at)}${isElsewhere ? html` · ${words.statuses[status]}` : nothing}
      </p>
    </div>
    <div class=${map === nothing ? '' : 'beside'}>
      <div>
        <dl>
          ${facts(item).map(
            ([label, value]) =>
              value &&
              html`<dt>${label}</dt>
                <dd>${value}</dd>`,
          )}
        </dl>
        ${notes ? html`<p class="said">${notes}</p>` : nothing}
      </div>
      ${map}
    </div>
    ${made === null ? nothing : html`<p><a href=${`/restaurants/${made}`}>${fill(words.open, { name })}</a></p>`}
    <div role="status">${twinBox(item)}</div>
  </article>`;
}

const facts = ({ category, food_types: foods, address, phone, website }: Suggestion | Restaurant) =>
  [
    [words.fields.category, category?.name],
    [common.kinds.food, foods.map(({ name }) => name).join(', ')],
    [words.fields.address, address],
    [words.fields.phone, phone && html`<a href=${`tel:${phone.replace(/[^+\d]/g, '')}`}>${phone}</a>`],
    [
      words.fields.website,
      website &&
        html`<a href=${website} target="_blank" rel="noopener noreferrer"
          >${website.replace(/^https?:\/\/(?:www\.)?|\/$/g, '')}</a
        >`,
    ],
  ] as const;

/** The place nearby that a suggestion looks like, as far as it is known. */
export function twinOf(item: Suggestion) {
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
  const { avg_rating: means, distance = 0 } = place;
  const rated =
    means.count === 0
      ? common.notRated
      : fill(words.rated, { score: format.score(means.overall), count: means.count });
  const traits = [
    name && words.names[name],
    ...same.map((trait) => fill(words.same, { trait: words.traits[trait] })),
    ...different.map((trait) =>
      fill(words.different, { trait: words.traits[trait], value: theirs(place, trait) }),
    ),
  ];
  return html`<div class="twin-box">
    ${icon('warning', 22)}
    <p>
      <b>${fill(words.looksLike, { name: place.name })}</b>,
      ${fill(words.away, { distance: format.distance(distance * 1000) })}, ${rated}<br />
      <span class="small soft">${traits.filter(Boolean).join(' · ')}</span>
    </p>
    <a
      class="button"
      href=${place.is_suggestion ? `/suggestions?sel=${place.id}` : `/restaurants/${place.id}`}
      >${fill(words.open, { name: place.name })}</a
    >
  </div>`;
}

const theirs = (place: Restaurant, trait: Trait) =>
  (trait === 'category' ? place.category?.name : place[trait === 'street' ? 'address' : trait]) ?? '';

/** What can be done with the suggestion that is shown, or with those that are selected. */
export function bar(state: State, shown: Suggestion) {
  const picked = state.ui.inbox?.picked?.length ?? 0;
  const { user } = state.session;
  const isOwn = user && shown.author?.id === user.id && shown.status === 'pending';
  if (!mayWrite(state)) return isOwn ? html`<div class="bar">${removeButton(state, shown)}</div>` : nothing;
  const verdicts = Object.entries(VERDICTS).filter(([, verdict]) => picked > 0 || mayGet(shown, verdict));
  if (verdicts.length === 0) return nothing;
  return html`<div class="bar">
    ${verdicts.map(
      ([key, verdict]) =>
        html`<button
          type="button"
          class=${verdict === 'converted' ? 'button primary' : 'button'}
          @click=${() => decide(state, verdict)}
        >
          ${words.verbs[verdict]}${picked > 0 ? html` <span class="desk">${picked}</span>` : nothing}
          <kbd class="desk" aria-hidden="true">${key}</kbd>
        </button>`,
    )}
    <span class="desk small soft hints">
      <button type="button" class="link" @click=${openKeys}><kbd>?</kbd> ${words.keys}</button>
      ${moreButton(state, shown)}
    </span>
  </div>`;
}

/** Opens what is done more rarely. */
export function moreButton(state: State, item: Suggestion) {
  if (!mayWrite(state)) return html`<span></span>`;
  const label = fill(words.moreOf, { name: item.name });
  const edit = html`<a class="button" href=${`/suggestions/${item.id}/edit`} @click=${closeDialog}
    >${icon('edit', 16)}${words.edit}</a
  >`;
  const body = () =>
    html`<h2>${item.name}</h2>
      <div class="acts column">
        ${item.status === 'converted' ? nothing : edit} ${removeButton(state, item)}
      </div>`;
  return html`<button
    type="button"
    class="button plain only"
    aria-label=${label}
    @click=${() => openDialog({ label, body })}
  >
    ${icon('more', 20)}
  </button>`;
}

function removeButton(state: State, item: Suggestion) {
  const { id, name } = item;
  const remove = () => {
    closeDialog();
    removeSuggestion({ id, name });
  };
  const press = () => deleteOrAsk(state, fill(words.removeForEver, { name }), remove);
  return html`<button type="button" class="button" @click=${press}>${words.remove}</button>`;
}
