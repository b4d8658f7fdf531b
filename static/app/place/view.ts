import { fill, texts } from '../base/texts.js';
import { load } from '../state/data.js';
import { day, kindLine, score } from '../base/format.js';
import { photosUrl } from './photo-actions.js';
import { been, knownPlace, placeUrl, toggleWant } from '../state/place-actions.js';
import { KINDS, chooseStars, deleteRating, ratingNeeds, saveRating } from '../state/rate-actions.js';
import { goBack, navigate } from '../state/router.js';
import { answer, setUi } from '../state/store.js';
import { facts, surroundings } from './facts.js';
import { age, avatar, bars, icon, leader, missing, openingLine, track } from '../parts/parts.js';
import { lightbox, lightboxKeys } from './lightbox.js';
import { choosePhotos, photoStrip } from './photos.js';
import { openMenu } from './menu.js';
import { go, placeBar } from '../parts/place-bar.js';
import { focusStars, openRate, rateFields, rateState } from '../parts/rate.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Photo, Rating, Restaurant, State } from '../base/types.js';

const common = texts.common;
const photoWords = texts.photos;
const words = texts.restaurant;

const MOST_RATINGS = 1000;
/** So many photos and ratings come along with a place; there may be more. */
const PARTS_KEPT = 20;

const idOf = ({ route }: State) => Number(route.params.id);

const isPhoto = ({ route }: State) => route.params.photo !== undefined;

const placeOf = (state: State) => {
  const entry = state.data[placeUrl(idOf(state))];
  return entry?.fault?.status === 404 ? undefined : knownPlace(state, idOf(state));
};

const ratingsUrl = (id: number, limit: number) => `/restaurants/${id}/ratings?limit=${limit}`;

const limitOf = ({ ui, route }: State) => (ui.allRatings === route.params.id ? MOST_RATINGS : PARTS_KEPT);

export function title(state: State) {
  const name = placeOf(state)?.name ?? '';
  return isPhoto(state) ? fill(photoWords.photoOf, { name }) : name;
}

export function needs(state: State) {
  const id = idOf(state);
  // The place brings along its first photos and ratings.
  const urls = [placeUrl(id)];
  if ((answer<{ photos?: unknown[] }>(placeUrl(id))?.photos?.length ?? 0) >= PARTS_KEPT)
    urls.push(photosUrl(id));
  if (limitOf(state) === MOST_RATINGS) urls.push(ratingsUrl(id, MOST_RATINGS));
  return isPhoto(state) ? urls : [...urls, ...ratingNeeds(id)];
}

export function leave(state: State) {
  const place = placeOf(state);
  if (place) saveRating(place);
  Object.assign(state.ui, { strip: undefined, captionOf: undefined });
}

export function view(state: State) {
  const url = placeUrl(idOf(state));
  const place = placeOf(state);
  const failing = (url: string) => html`${missing(state.data[url], () => load(url))}`;
  if (!place) return failing(url);
  const photos = state.data[photosUrl(place.id)]?.body as readonly Photo[] | undefined;
  if (isPhoto(state)) return photos ? html`${lightbox(state, place, photos)}` : failing(photosUrl(place.id));
  return html`<article class="restaurant">
      <div class="placetop phone">
        <button type="button" class="button only" aria-label=${common.back} @click=${() => goBack('/')}>
          ${icon('back', 20)}
        </button>
        ${menuButton(place, state)}
      </div>
      ${photoStrip(state, place, photos)}
      <div class="cols">
        <div>
          <div class="title rule">
            <div class="titleline">
              <h1>${place.name}</h1>
              <span class="desk">${menuButton(place, state)}</span>
            </div>
            <p class="soft">
              ${kindLine(place) ? html`<span>${kindLine(place)}</span>` : nothing} ${openingLine(place)}
            </p>
            ${age(state.data[url])}
          </div>
          ${place.description ? html`<p class="about">${place.description}</p>` : nothing} ${means(place)}
          ${said(state, place)}
        </div>
        <aside>
          <section class="box rating desk">
            <h2>${words.yourRating} ${rateState(place, state)}</h2>
            ${rateFields(place, 'page')}
          </section>
          <div class="desk">${placeBar(place, { rate: false })}</div>
          ${facts(place)} ${surroundings(state, place)}
        </aside>
      </div>
    </article>
    <div class="dock phone">${placeBar(place)}</div>`;
}

const menuButton = (place: Restaurant, state: State) =>
  html`<button
    type="button"
    class="button only"
    aria-label=${words.menu}
    aria-haspopup="dialog"
    @click=${() => openMenu(place, state)}
  >
    ${icon('more', 20)}
  </button>`;

function means({ avg_rating: means }: Restaurant) {
  if (means.count === 0) return html`<p class="soft">${words.nothingSaid}</p>`;
  const line = (text: string, value: number, kind = '') =>
    html`<li class=${kind}>
      ${leader(html`<span>${text}</span>`, html`<b>${score(value)}</b>`)} ${track(value / 5)}
    </li>`;
  return html`<ul class="means">
    ${line(fill(words.overall, { count: means.count }), means.overall, 'big')}
    ${KINDS.map((kind) => line(common.kinds[kind], means[kind]))}
  </ul>`;
}

function said(state: State, place: Restaurant) {
  const { id, avg_rating: means } = place;
  const url = ratingsUrl(id, limitOf(state));
  const entry = state.data[url];
  const ratings = (entry?.body ?? state.data[ratingsUrl(id, PARTS_KEPT)]?.body) as
    readonly Rating[] | undefined;
  if (!ratings) {
    if (entry?.state !== 'failed') return nothing;
    return html`<p role="alert">
      ${words.notLoaded}
      <button type="button" class="button" @click=${() => load(url)}>${common.retry}</button>
    </p>`;
  }
  if (ratings.length === 0) return nothing;
  const isAll = ratings.length < PARTS_KEPT || limitOf(state) === MOST_RATINGS || means.count <= PARTS_KEPT;
  return html`<section>
    <h2>${words.said}</h2>
    <ul>
      ${ratings.map((rating) => saying(state, place, rating))}
    </ul>
    ${isAll ? nothing : html`<button type="button" class="button" @click=${() => setUi({ allRatings: String(id) })}>${words.moreRatings}</button>`}
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
          >${fill(common.score, { overall: mean, count: 1, food, service, room: ambiance })}</span
        ></span
      >`,
    )}
    ${comment ? html`<p>${comment}</p>` : nothing}
    ${isMine ? html`<button type="button" class="link small soft" @click=${() => deleteRating(place, id)}>${words.deleteRating}</button>` : nothing}
  </li>`;
}

const onPlace = (run: (place: Restaurant, state: State) => void) => (state: State) => {
  const place = placeOf(state);
  if (place && !isPhoto(state)) run(place, state);
};

/** A figure without the focus on a row of stars is for the first one. */
const figures = Object.fromEntries(
  [1, 2, 3, 4, 5].map((value) => [
    value,
    onPlace((place) => {
      if (!focusStars('.rating')) openRate(place);
      chooseStars(place, 'food', value);
    }),
  ]),
);

export const keys = {
  ...lightboxKeys,
  r: onPlace((place) => void (focusStars('.rating') || openRate(place))),
  ...figures,
  w: onPlace(toggleWant),
  b: onPlace(been),
  p: onPlace(choosePhotos),
  e: onPlace(({ id }) => navigate(`/restaurants/${id}/edit`)),
  g: onPlace(go),
};
