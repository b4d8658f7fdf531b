import { fill, texts } from '../base/texts.js';
import * as format from '../base/format.js';
import { groupBy } from '../base/group.js';
import { html, nothing, svg } from '../vendor/lit-html/lit-html.js';
import { weeksOf } from './year.js';
import type { Visit } from '../base/types.js';

const words = texts.visits;

const STEP = 10;
const NAMES = 14;

/** A dot for each day: small without a visit, full with one, large with more. The diary below says the same. */
export function yearOfDots(visits: readonly Visit[], span: { from: string; to: string }) {
  const byDay = groupBy(visits, ({ visited_on: on }) => on);
  const places = new Set(visits.map(({ restaurant: { id, name } }) => id ?? name)).size;
  const sum = fill(words.sum, {
    visits: fill(words.visits, { count: visits.length }),
    places: fill(words.places, { count: places }),
    from: format.day(span.from),
    to: format.day(span.to),
  });
  const weeks = weeksOf(span);
  return html`<figure class="year">
    <svg viewBox=${`0 0 ${weeks.length * STEP} ${NAMES + 7 * STEP}`} aria-hidden="true">
      ${weeks.map((week, at) => weekOf(week, at * STEP, byDay))}
    </svg>
    <figcaption class="small soft">${sum}</figcaption>
  </figure>`;
}

function weekOf(week: (string | undefined)[], x: number, byDay: Map<string, Visit[]>) {
  const first = week.find((day) => day?.endsWith('-01'));
  return svg`${first ? svg`<text x=${x} y="9">${format.shortMonth(first)}</text>` : nothing}
    ${week.map((day, at) => day && dot(x + STEP / 2, NAMES + (at + 0.5) * STEP, day, byDay.get(day) ?? []))}`;
}

const dot = (x: number, y: number, day: string, visits: readonly Visit[]) =>
  visits.length === 0
    ? svg`<circle class="none" cx=${x} cy=${y} r="1.25" />`
    : svg`<circle cx=${x} cy=${y} r=${visits.length === 1 ? 3.25 : 4.75}>
        <title>${[format.day(day), ...visits.map(({ restaurant }) => restaurant.name)].join(' · ')}</title>
      </circle>`;
