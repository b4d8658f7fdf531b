import { fill, texts } from '../base/texts.js';
import { closeDialog, openDialog } from '../state/actions.js';
import * as format from '../base/format.js';
import { likeness } from '../base/likeness.js';
import { statusOf } from './moderation.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { icon } from '../parts/parts.js';
import { placeMap } from '../parts/place-map.js';
import type { Restaurant, State, Suggestion } from '../base/types.js';

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
  const { name, author, created_at: at, notes, status, restaurant_id: made } = item;
  const { latitude: lat, longitude: lng } = item;
  const position = lat === null || lng === null ? undefined : { lat, lng };
  const { category, address } = words.fields;
  const told = facts(item).filter(([label, value]) => value || label === category || label === address);
  const suggested = author
    ? html`${words.by} <b>${author.username}</b>, ${format.ago(at)}`
    : html`${common.status.suggestion} ${format.ago(at)}`;
  return html`<article class="card">
    <div class="title rule">
      <h2>${name}</h2>
      <p class="soft">${suggested}${status === statusOf(state) ? nothing : html` · ${statusText(status)}`}</p>
    </div>
    <div class=${position && state.config ? 'beside' : ''}>
      <div>
        <dl>
          ${told.map(
            ([label, value]) =>
              html`<dt>${label}</dt>
                <dd>${value ?? html`<span class="soft">${words.without}</span>`}</dd>`,
          )}
        </dl>
        ${notes ? html`<p class="said">${notes}</p>` : nothing}
      </div>
      ${position && state.config ? placeMap(state.config, { position, mark: '?' }) : nothing}
    </div>
    ${made ? html`<p><a href=${`/restaurants/${made}`}>${fill(words.open, { name })}</a></p>` : nothing}
    ${twinBox(state, item)}
  </article>`;
}

const statusText = (status: string) =>
  status === 'converted' ? words.converted : (words.statuses as Record<string, string>)[status];

function facts({
  category,
  food_types: foods,
  address,
  phone,
  website,
}: Suggestion | Restaurant): [label: string, value: unknown][] {
  const { fields } = words;
  return [
    [fields.category, category?.name],
    [common.kinds.food, foods.map(({ name }) => name).join(', ') || undefined],
    [fields.address, address],
    [fields.phone, phone ? html`<a href=${`tel:${phone.replace(/[^+\d]/g, '')}`}>${phone}</a>` : undefined],
    [
      fields.website,
      website
        ? html`<a href=${website} target="_blank" rel="noopener noreferrer"
            >${website.replace(/^https?:\/\/(?:www\.)?|\/$/g, '')}</a
          >`
        : undefined,
    ],
  ];
}

/** The place nearby that a suggestion looks like, as far as it is known. */
export function twinOf({ data }: State, item: Suggestion) {
  const url = nearUrl(item);
  const near = ((url && data[url]?.body) as (Restaurant & { distance: number })[] | undefined) ?? [];
  for (const place of near) {
    if (place.is_suggestion && place.id === item.id) continue;
    const traits = likeness(item, place);
    if (traits.isAlike) return { place, ...traits };
  }
  return undefined;
}

function twinBox(state: State, item: Suggestion) {
  const twin = twinOf(state, item);
  if (!twin) return html`<div role="status"></div>`;
  const { place, same, different } = twin;
  const { avg_rating: means, distance } = place;
  const rated =
    means.count === 0
      ? common.notRated
      : fill(words.rated, { score: format.score(means.overall), count: means.count });
  const list = (word: string, traits: typeof same) =>
    traits.length === 0
      ? ''
      : `${traits.map((trait, at) => `${at === 0 ? word : word.toLowerCase()} ${words.traits[trait]}`).join(', ')}.`;
  return html`<div role="status" class="twin-box">
    ${icon('warning', 22)}
    <p>
      <b>${fill(words.looksLike, { name: place.name })}</b>,
      ${fill(words.away, { distance: format.distance(distance * 1000) })}, ${rated}.<br />
      <span class="small soft">${list(words.same, same)} ${list(words.another, different)}</span>
    </p>
    <button type="button" class="button" @click=${() => openCompare(item, place)}>${words.compare}</button>
  </div>`;
}

function openCompare(item: Suggestion, place: Restaurant) {
  const [ours, theirs] = [facts(item), facts(place)];
  openDialog({
    label: words.compare,
    body: () =>
      html`<h2>${words.compare}</h2>
        <table class="compare">
          <thead>
            <tr>
              <td></td>
              <th scope="col">${item.name}</th>
              <th scope="col">${place.name}</th>
            </tr>
          </thead>
          <tbody>
            ${ours.map(
              ([label, value], at) =>
                html`<tr>
                  <th scope="row">${label}</th>
                  <td>${value ?? words.without}</td>
                  <td>${theirs[at]?.[1] ?? words.without}</td>
                </tr>`,
            )}
          </tbody>
        </table>
        <div class="acts end">
          <a
            class="button"
            href=${place.is_suggestion ? `/suggestions?sel=${place.id}` : `/restaurants/${place.id}`}
            @click=${closeDialog}
            >${fill(words.open, { name: place.name })}</a
          >
        </div>`,
  });
}
