import { ago, day, dayTime, kindLine, listed, score, weekdayName } from '../base/format.js';
import { DAYS, dayIn, weekOf } from '../base/hours.js';
import { fill, texts } from '../base/texts.js';
import { act, closeDialog, mayWrite, needsUser, openDialog, toast } from '../state/actions.js';
import { PARTS_KEPT, load } from '../state/data.js';
import * as actions from '../state/place-actions.js';
import { marksOf, meansOf } from '../state/places.js';
import { goBack, navigate } from '../state/router.js';
import { answer, state } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { sentenceParts, undoPart } from '../parts/activity-log.js';
import { deleteOrAsk, loaded } from '../parts/mine.js';
import * as parts from '../parts/parts.js';
import { phoneLink } from '../parts/phone-link.js';
import { goLinks, openGo, placeBar } from '../parts/place-bar.js';
import { dropText, placeMap } from '../parts/place-map.js';
import { openRate, rateFields, rateState } from '../parts/place-parts.js';
import { choosePhotos, lightbox, lightboxKeys, photoStrip, photosUrl } from './photos.js';
import type { Change, Named, Page, Rating, Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.restaurant;

const idOf = ({ route }: State) => Number(route.params.id);

const isPhoto = ({ route }: State) => route.params.photo !== undefined;

const isGone = (state: State) => state.data[actions.placeUrl(idOf(state))]?.fault?.status === 404;

const placeOf = (state: State) => (isGone(state) ? undefined : state.places.get(idOf(state)));

const ratingsUrl = (id: number, limit = 1000) => `/restaurants/${id}/ratings?limit=${limit}`;

export function title(state: State) {
  const name = isGone(state) ? common.missing.title : (placeOf(state)?.name ?? '');
  return isPhoto(state) ? fill(texts.photos.photoOf, { name }) : name;
}

/** Leads from a place that was merged to the one that stayed. */
function follow({ data, route }: State) {
  const { instead } = data[actions.placeUrl(idOf(state))]?.fault ?? {};
  if (instead) queueMicrotask(() => state.route === route && navigate(instead, { replace: true }));
}

export function needs(state: State) {
  const id = idOf(state);
  follow(state);
  // The place brings along its first photos and ratings.
  const { photos = [] } = answer<{ photos?: unknown[] }>(actions.placeUrl(id)) ?? {};
  return [
    actions.placeUrl(id),
    ...(photos.length >= PARTS_KEPT ? [photosUrl(id)] : []),
    ...(state.data[ratingsUrl(id)] ? [ratingsUrl(id)] : []),
    ...(isPhoto(state) ? [] : actions.ratingNeeds(id)),
  ];
}

export function view(state: State) {
  const url = actions.placeUrl(idOf(state));
  const place = placeOf(state);
  if (!place) return html`${loaded(url, parts.gone)}`;
  if (isPhoto(state))
    return html`${loaded(photosUrl(place.id), () => lightbox(state, place) ?? parts.gone())}`;
  const { id, name, description, latitude: lat, longitude: lng } = place;
  const { overall, count, ...means } = meansOf(place);
  // The stars stand in the page itself, also while the first rating is being made.
  const isFirst = count === 0 || (count === 1 && actions.ownRating(id) !== undefined);
  const stars = html`<section class=${isFirst ? 'box rating' : 'box rating desk'}>
    <h2>${count === 0 ? words.beFirst : words.yourRating} ${rateState(place)}</h2>
    ${rateFields(place, 'page')}
  </section>`;
  const line = (text: string, value: number, kind = '') =>
    html`<li class=${kind}>
      ${parts.leader(html`<span>${text}</span>`, html`<b>${score(value)}</b>`)} ${parts.track(value / 5)}
    </li>`;
  return html`<article class="restaurant">
    ${photoStrip(state, place)}
    <div class="cols">
      <div>
        <div class="title rule">
          <div class="titleline">
            <h1 dir="auto">${name}</h1>
            <div class="placetop">
              ${parts.iconButton('back', common.back, () => goBack('/'), 'phone')}
              ${parts.iconButton('more', words.menu, () => openMenu(place, state))}
            </div>
          </div>
          <p class="soft">${kindLine(place)} ${parts.openingLine(place)}</p>
          ${parts.age(state.data[url])}
        </div>
        ${description && html`<p class="about" dir="auto">${description}</p>`}
        ${
          count > 0
            ? html`<ul class="means">
                ${line(fill(words.overall, { count }), overall, 'big')}
                ${actions.KINDS.map((kind) => line(common.kinds[kind], means[kind]))}
              </ul>`
            : nothing
        }
        ${isFirst ? stars : nothing} ${said(state, place)}
      </div>
      <aside>
        ${isFirst ? nothing : stars}
        <div class="dock">${placeBar(place, isFirst ? 'none' : 'phone')}</div>
        ${facts(place)}
        ${lat === null || lng === null ? nothing : placeMap({ position: { lat, lng }, score: dropText(overall) })}
      </aside>
    </div>
  </article>`;
}

function said({ session }: State, place: Restaurant) {
  const { id } = place;
  const all = answer<readonly Rating[]>(ratingsUrl(id));
  const ratings = all ?? answer<readonly Rating[]>(ratingsUrl(id, PARTS_KEPT)) ?? [];
  if (ratings.length === 0) return nothing;
  const isCut = !all && ratings.length >= PARTS_KEPT && ratings.length < place.avg_rating.count;
  const saying = (rating: Rating) => {
    const { author, comment, created_at: at } = rating;
    const { food_rating: food, service_rating: service, ambiance_rating: ambiance } = rating;
    const means = { food, service, ambiance, overall: (food + service + ambiance) / 3, count: 1 };
    const isMine = author !== null && author.id === session.user?.id;
    const name = author?.username ?? words.someone;
    const about = isMine ? fill(words.you, { day: day(at) }) : day(at);
    const remove = () => actions.deleteRating(place, rating.id);
    return html`<li class="say">
      ${parts.avatar(name)}
      ${parts.leader(html`<b dir="auto">${name}</b><span class="tiny soft">${about}</span>`, parts.scoreMark(means))}
      ${comment && html`<p dir="auto">${comment}</p>`}
      ${isMine ? parts.button(words.deleteRating, remove, 'link small soft') : nothing}
    </li>`;
  };
  const list = html`<ul>
    ${ratings.map(saying)}
  </ul>`;
  return parts.section(
    words.said,
    list,
    isCut && parts.button(words.moreRatings, () => load(ratingsUrl(id))),
  );
}

/** Where a place is, how to reach it, and when it is open. */
function facts(place: Restaurant) {
  const { id, address, phone, website, opening_hours: hours } = place;
  const host = website && URL.canParse(website) ? new URL(website).host.replace(/^www\./, '') : website;
  const { visits: count = 0, last_visited_on: last } = marksOf(id) ?? {};
  const answers: Readonly<Record<string, string>> = words.dietAnswers;
  const diets = Object.entries(texts.explore.diets).flatMap(([diet, name]) => {
    const answer = place.diets[diet];
    return answer && answer !== 'no' ? [fill(answers[answer] ?? '', { diet: name })] : [];
  });
  const fact = (picture: parts.IconName, label: string, body: unknown) =>
    body &&
    html`<li>
      ${parts.icon(picture)}<span class="vh">${label}</span>
      <div>${body}</div>
    </li>`;
  return html`<ul class="box facts">
    ${fact('pin', words.address, address && html`<address dir="auto">${address}</address>`)}
    ${fact('phone', words.phone, phone && phoneLink(phone))}
    ${fact('globe', words.site, website && html`<a href=${website} target="_blank" rel="noopener" dir="ltr">${host}</a>`)}
    ${fact('clock', words.hours, hours && hoursPart(place, hours))}
    ${fact('cutlery', words.diets, listed(diets))}
    ${fact('check', texts.common.tabs.visits, last && fill(words.been, { count, last: day(last) }))}
  </ul>`;
}

function hoursPart({ time_zone: zone }: Restaurant, text: string) {
  const week = weekOf(text);
  if (!week) return text;
  const today = zone === null ? undefined : dayIn(zone);
  const order = [...[0, 1, 2, 3, 4, 5, 6].map((at) => ((today ?? 0) + at) % 7), DAYS.indexOf('PH')];
  const isElsewhere = zone !== null && zone !== Intl.DateTimeFormat().resolvedOptions().timeZone;
  const line = (at: number) => {
    const name = at === today ? words.today : DAYS[at] === 'PH' ? words.holidays : weekdayName(at);
    const kind = at === today ? 'now' : 'soft';
    const spans = week[at]?.map(([from, to]) =>
      from === 0 && to === 1440 ? words.allDay : `${dayTime(from)}–${dayTime(to % 1440)}`,
    );
    return (
      spans &&
      html`<dt class=${kind}>${name}</dt>
        <dd class=${kind}>
          ${spans.length === 0 ? words.closed : spans.map((span, at) => [at > 0 ? texts.common.separator : '', html`<bdi>${span}</bdi>`])}
        </dd>`
    );
  };
  return html`<dl class="keys hours">${order.map(line)}</dl>
    ${isElsewhere ? html`<p class="tiny soft">${fill(words.zone, { zone })}</p>` : nothing}`;
}

/** Opens what is rarely done with a place. */
function openMenu(place: Restaurant, state: State) {
  const { id, name } = place;
  const writes = mayWrite(state);
  const copy = () => navigator.clipboard.writeText(location.href).then(() => toast({ text: words.copied }));
  const entry = (key: keyof typeof words.menuOf, isOffered: boolean, run: () => unknown, kind = '') =>
    isOffered
      ? parts.button(words.menuOf[key], () => (closeDialog(), run()), `button plain ${kind}`)
      : nothing;
  openDialog({
    label: name,
    body: () =>
      html`<div class="choices">
        ${entry('edit', writes, () => navigate(`/restaurants/${id}/edit`))}
        ${entry('history', true, () => openHistory({ id, name }))}
        ${entry('maps', goLinks(place) !== undefined, () => openGo(place))}
        ${place.latitude === null ? nothing : html`<a class="button plain" href=${`/outings/new?place=${id}`}>${common.together}</a>`}
        ${entry('copy', isSecureContext, copy)} ${entry('print', true, () => print())}
        ${entry('delete', writes, () => remove({ id, name }), 'danger')}
      </div>`,
  });
}

const remove = needsUser('delete place', ({ id, name }: Named) =>
  deleteOrAsk(state, fill(words.askDelete, { name }), () => {
    // First, so that the page of what is gone is not asked for again.
    goBack('/');
    void act({ method: 'DELETE', path: `/restaurants/${id}`, said: fill(words.deleted, { name }) });
  }),
);

const openHistory = needsUser('history', ({ id, name }: Named) => {
  const url = `/restaurants/${id}/history?limit=50`;
  const line = (change: Change) => {
    const sentence = sentenceParts(state, change).join(name);
    return [sentence, undoPart(state, change, sentence), ago(change.at)] as const;
  };
  const draw = ({ data }: Page<Change>) =>
    data.length === 0
      ? html`<p class="soft">${words.noHistory}</p>`
      : html`<div class="changes">${parts.lines(data.map(line))}</div>`;
  openDialog({
    label: fill(words.historyOf, { name }),
    needs: () => [url],
    body: () => html`${loaded(url, draw)}`,
  });
});

const onPlace = (run: (place: Restaurant, state: State) => void) => (state: State) => {
  const place = placeOf(state);
  if (place && !isPhoto(state)) run(place, state);
};

/** Puts the focus on the stars of the page, the chosen ones first, or opens them where they cannot be seen. */
function toStars(place: Restaurant) {
  const row = document.querySelector('.rating .stars');
  if (!row?.checkVisibility()) return openRate(place);
  (row.querySelector<HTMLElement>(':checked') ?? row.querySelector('input'))?.focus();
}

export const keys = {
  ...lightboxKeys,
  // A figure without the focus on a row of stars is for the first one.
  ...Object.fromEntries(
    [1, 2, 3, 4, 5].map((value) => [
      value,
      onPlace((place) => (toStars(place), actions.chooseStars(place, 'food', value))),
    ]),
  ),
  r: onPlace(toStars),
  w: onPlace(actions.toggleWant),
  b: onPlace(actions.been),
  p: onPlace(choosePhotos),
  e: onPlace(({ id }) => navigate(`/restaurants/${id}/edit`)),
  g: () => document.querySelector<HTMLElement>('[data-focus=go]')?.click(),
};
