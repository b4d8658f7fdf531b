import { fill, texts } from '../base/texts.js';
import { day, dayTime, weekdayName } from '../base/format.js';
import { DAYS, dayIn, weekOf } from '../base/hours.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { icon } from '../parts/parts.js';
import { placeMap } from '../parts/place-map.js';
import { marksOf, meansOf } from '../state/places.js';
import type { Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.restaurant;

/** The surroundings of a place, where its position is known. */
export function surroundings({ config }: State, place: Restaurant) {
  const { latitude: lat, longitude: lng } = place;
  if (lat === null || lng === null || !config) return nothing;
  return placeMap(config, { position: { lat, lng }, overall: meansOf(place).overall });
}

/** Where a place is, how to reach it, and when it is open. */
export function facts(place: Restaurant) {
  const { address, phone, website, diets } = place;
  const mine = marksOf(place.id);
  const fact = (picture: Parameters<typeof icon>[0], label: string, body: unknown) =>
    html`<li>${icon(picture)}<span class="vh">${label}</span>${body}</li>`;
  const answers: Readonly<Record<string, string>> = words.dietAnswers;
  const kept = Object.entries(texts.explore.diets).flatMap(([diet, name]) => {
    const answer = diets[diet];
    return answer && answer !== 'no' ? [name + (answers[answer] ?? '')] : [];
  });
  return html`<ul class="box facts">
    ${address ? fact('pin', words.address, html`<address>${address}</address>`) : nothing}
    ${phone ? fact('phone', words.phone, html`<a href=${`tel:${phone.replace(/[^+\d]/g, '')}`}>${phone}</a>`) : nothing}
    ${website ? fact('globe', words.site, html`<a href=${website} target="_blank" rel="noopener">${hostOf(website)}</a>`) : nothing}
    ${place.opening_hours ? fact('clock', words.hours, hours(place, place.opening_hours)) : nothing}
    ${kept.length > 0 ? fact('cutlery', words.diets, html`<span>${kept.join(', ')}</span>`) : nothing}
    ${mine?.last_visited_on ? fact('check', common.tabs.visits, html`<span>${fill(words.been, { count: mine.visits, last: day(mine.last_visited_on) })}</span>`) : nothing}
  </ul>`;
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : url);

function hours({ time_zone: zone }: Restaurant, text: string) {
  const week = weekOf(text);
  if (!week) return html`<span>${text}</span>`;
  const today = zone === null ? undefined : dayIn(zone);
  const order = [...[0, 1, 2, 3, 4, 5, 6].map((at) => ((today ?? 0) + at) % 7), DAYS.indexOf('PH')];
  const isElsewhere = zone !== null && zone !== Intl.DateTimeFormat().resolvedOptions().timeZone;
  return html`<div>
    <table class="hours">
      ${order.map((at) => {
        const spans = week[at];
        if (!spans) return nothing;
        const name = at === today ? words.today : DAYS[at] === 'PH' ? words.holidays : weekdayName(at);
        return html`<tr class=${at === today ? 'now' : 'soft'}>
          <th scope="row">${name}</th>
          <td>
            ${spans.length === 0 ? words.closed : spans.map((span) => html`<span>${spanText(span)}</span> `)}
          </td>
        </tr>`;
      })}
    </table>
    ${isElsewhere ? html`<p class="tiny soft">${fill(words.zone, { zone })}</p>` : nothing}
  </div>`;
}

const spanText = ([from, to]: readonly [number, number]) =>
  from === 0 && to === 1440 ? words.allDay : `${dayTime(from)}–${dayTime(to % 1440)}`;
