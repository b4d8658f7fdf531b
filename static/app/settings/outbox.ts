import { fill, texts } from '../base/texts.js';
import { forgetUnsent } from '../base/cache.js';
import { ago } from '../base/format.js';
import { readOwn, sendAgain, takeBack } from '../state/outbox.js';
import { navigate } from '../state/router.js';
import { setDraft } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { askFirst } from '../parts/ask.js';
import { icon } from '../parts/parts.js';
import { button } from './parts.js';
import type { Rating, State, Waiting } from '../base/types.js';

const common = texts.common;
const words = texts.outbox;

/** What waits to be sent, with what can be done about each. */
export function outboxList({ outbox, ui }: State) {
  const others = ui.unsentOfOther ?? 0;
  if (others > 0)
    return html`<p class="lead">${fill(words.others, { count: others })}</p>
      <p class="acts">${button(words.deleteOthers, askToDeleteOthers)}</p>`;
  if (outbox.length === 0) return html`<p>${words.none}</p>`;
  return html`<ul class="outbox">
    ${outbox.map(line)}
  </ul>`;
}

const askToDeleteOthers = () =>
  askFirst({
    title: words.askDeleteOthers,
    text: common.forGood,
    yes: common.delete,
    run: () => forgetUnsent().then(readOwn),
  });

function line(waiting: Waiting) {
  const { key, label, place, state } = waiting;
  const href = place?.startsWith('restaurant ') && placeHref(place);
  return html`<li class="box">
    ${href ? html`<a href=${href}>${label}</a>` : html`<b>${label}</b>`} ${reason(waiting)}
    <div class="acts">
      ${state === 'waiting' ? nothing : button(state === 'old' ? words.send : words.again, () => sendAgain(waiting))}
      ${isRating(waiting) ? button(common.edit, () => editRating(waiting)) : nothing}
      ${button(words.discard, () => takeBack(key))}
    </div>
  </li>`;
}

function reason({ state, at, reason = '' }: Waiting) {
  if (state === 'refused')
    return html`<p class="small bad">${icon('warning', 14)} ${fill(words.refused, { reason })}</p>`;
  const text = state === 'old' ? fill(words.old, { ago: ago(at) }) : fill(words.waits, { ago: ago(at) });
  return html`<p class="small warn">${icon('clock', 14)} ${text}</p>`;
}

const placeHref = (place: string) => place.replace('restaurant ', '/restaurants/');

const isRating = ({ path, place }: Waiting) => path.startsWith('/ratings') && place !== undefined;

// The service reads again what is sent.
const isRatingBody = (body: unknown): body is Partial<Rating> => typeof body === 'object';

/** Takes a rating back and has it changed where its place is. */
async function editRating({ key, place = '', body }: Waiting) {
  const rating = isRatingBody(body) ? body : {};
  const { food_rating: food, service_rating: service, ambiance_rating: ambiance, comment } = rating;
  setDraft(place.replace('restaurant', 'rate'), { food, service, ambiance, comment, drafts: [] });
  await takeBack(key);
  navigate(placeHref(place));
}
