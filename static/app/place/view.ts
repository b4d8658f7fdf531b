import { fill, texts } from '../base/texts.js';
import { PARTS_KEPT, load } from '../state/data.js';
import { day, kindLine, score } from '../base/format.js';
import { photosUrl } from './photo-actions.js';
import { meansOf } from '../state/places.js';
import * as act from '../state/place-actions.js';
import { goBack, navigate } from '../state/router.js';
import { answer } from '../state/store.js';
import { facts, surroundings } from './facts.js';
import { age, avatar, bars, button, gone, iconButton, leader, openingLine, track } from '../parts/parts.js';
import { choosePhotos, lightbox, lightboxKeys, photoStrip } from './photos.js';
import { openMenu } from './menu.js';
import { loaded } from '../parts/mine.js';
import { go, placeBar } from '../parts/place-bar.js';
import { focusStars, openRate, rateFields, rateState } from '../parts/rate.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Photo, Rating, Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.restaurant;

const idOf = ({ route }: State) => Number(route.params.id);

const isPhoto = ({ route }: State) => route.params.photo !== undefined;

const isGone = (state: State) => state.data[act.placeUrl(idOf(state))]?.fault?.status === 404;

const placeOf = (state: State) => (isGone(state) ? undefined : state.places.get(idOf(state)));

const ratingsUrl = (id: number, limit = 1000) => `/restaurants/${id}/ratings?limit=${limit}`;

export function title(state: State) {
  const name = isGone(state) ? common.missing.title : (placeOf(state)?.name ?? '');
  return isPhoto(state) ? fill(texts.photos.photoOf, { name }) : name;
}

export function needs(state: State) {
  const id = idOf(state);
  // The place brings along its first photos and ratings.
  const { photos = [] } = answer<{ photos?: unknown[] }>(act.placeUrl(id)) ?? {};
  return [
    act.placeUrl(id),
    ...(photos.length >= PARTS_KEPT ? [photosUrl(id)] : []),
    ...(state.data[ratingsUrl(id)] ? [ratingsUrl(id)] : []),
    ...(isPhoto(state) ? [] : act.ratingNeeds(id)),
  ];
}

export function leave(state: State) {
  const place = placeOf(state);
  if (place) act.saveRating(place);
  state.ui.strip = undefined;
}

export function view(state: State) {
  const url = act.placeUrl(idOf(state));
  const place = placeOf(state);
  if (!place) return html`${loaded(url, gone)}`;
  if (isPhoto(state)) return html`${loaded(photosUrl(place.id), () => lightbox(state, place) ?? gone())}`;
  const photos = answer<readonly Photo[]>(photosUrl(place.id));
  const isFirst = isRatedByNoOther(place);
  const menu = iconButton('more', words.menu, () => openMenu(place, state));
  return html`<article class="restaurant">
      <div class="placetop phone">${iconButton('back', common.back, () => goBack('/'))} ${menu}</div>
      ${photoStrip(state, place, photos)}
      <div class="cols">
        <div>
          <div class="title rule">
            <div class="titleline">
              <h1>${place.name}</h1>
              <span class="desk">${menu}</span>
            </div>
            <p class="soft">
              ${kindLine(place) ? html`<span>${kindLine(place)}</span>` : nothing} ${openingLine(place)}
            </p>
            ${age(state.data[url])}
          </div>
          ${place.description ? html`<p class="about">${place.description}</p>` : nothing} ${means(place)}
          ${isFirst ? stars(state, place, 'box rating') : nothing} ${said(state, place)}
        </div>
        <aside>
          ${isFirst ? nothing : stars(state, place, 'box rating desk')}
          <div class="desk">${placeBar(place, { rate: false })}</div>
          ${facts(place)} ${surroundings(state, place)}
        </aside>
      </div>
    </article>
    <div class="dock phone">${placeBar(place, { rate: !isFirst })}</div>`;
}

/** Then the stars stand in the page itself, also while the first rating is being made. */
function isRatedByNoOther(place: Restaurant) {
  const { count } = meansOf(place);
  return count === 0 || (count === 1 && act.ownRating(place.id) !== undefined);
}

const stars = (state: State, place: Restaurant, kind: string) =>
  html`<section class=${kind}>
    <h2>${meansOf(place).count === 0 ? words.beFirst : words.yourRating} ${rateState(place, state)}</h2>
    ${rateFields(place, 'page')}
  </section>`;

function means(place: Restaurant) {
  const means = meansOf(place);
  const line = (text: string, value: number, kind = '') =>
    html`<li class=${kind}>
      ${leader(html`<span>${text}</span>`, html`<b>${score(value)}</b>`)} ${track(value / 5)}
    </li>`;
  if (means.count === 0) return nothing;
  return html`<ul class="means">
    ${line(fill(words.overall, { count: means.count }), means.overall, 'big')}
    ${act.KINDS.map((kind) => line(common.kinds[kind], means[kind]))}
  </ul>`;
}

function said(state: State, place: Restaurant) {
  const { id, avg_rating: means } = place;
  const all = answer<readonly Rating[]>(ratingsUrl(id));
  const ratings = all ?? answer<readonly Rating[]>(ratingsUrl(id, PARTS_KEPT)) ?? [];
  if (ratings.length === 0) return nothing;
  const isCut = !all && ratings.length >= PARTS_KEPT && ratings.length < means.count;
  return html`<section>
    <h2>${words.said}</h2>
    <ul>
      ${ratings.map((rating) => saying(state, place, rating))}
    </ul>
    ${isCut ? button(words.moreRatings, () => void load(ratingsUrl(id))) : nothing}
  </section>`;
}

function saying({ session }: State, place: Restaurant, rating: Rating) {
  const { id, author, comment, created_at: at } = rating;
  const { food_rating: food, service_rating: service, ambiance_rating: ambiance } = rating;
  const mean = score((food + service + ambiance) / 3);
  const isMine = author !== null && author.id === session.user?.id;
  const name = author?.username ?? words.somebody;
  return html`<li class="say">
    ${avatar(name)}
    ${leader(
      html`<b>${name}</b
        ><span class="tiny soft">${isMine ? fill(words.you, { day: day(at) }) : day(at)}</span>`,
      html`<span class="score"
        >${mean}${bars({ food, service, ambiance })}<span class="vh"
          >${fill(common.score, { overall: mean, count: 1, food, service, ambience: ambiance })}</span
        ></span
      >`,
    )}
    ${comment ? html`<p>${comment}</p>` : nothing}
    ${isMine ? html`<button type="button" class="link small soft" @click=${() => void act.deleteRating(place, id)}>${words.deleteRating}</button>` : nothing}
  </li>`;
}

const onPlace = (run: (place: Restaurant, state: State) => void) => (state: State) => {
  const place = placeOf(state);
  if (place && !isPhoto(state)) run(place, state);
};

const toStars = (place: Restaurant) => focusStars('.rating') || openRate(place);

/** A figure without the focus on a row of stars is for the first one. */
const figure = (value: number) =>
  onPlace((place) => {
    toStars(place);
    act.chooseStars(place, 'food', value);
  });

export const keys = {
  ...lightboxKeys,
  ...Object.fromEntries([1, 2, 3, 4, 5].map((value) => [value, figure(value)])),
  r: onPlace(toStars),
  w: onPlace(act.toggleWant),
  b: onPlace(act.been),
  p: onPlace(choosePhotos),
  e: onPlace(({ id }) => navigate(`/restaurants/${id}/edit`)),
  g: onPlace(go),
};
