import { fill, texts } from '../base/texts.js';
import { closeDialog, needsUser, openDialog } from '../state/actions.js';
import { been, setOnList } from '../state/place-actions.js';
import { marksOf } from '../state/places.js';
import { answer, readStored, writeStored } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { field, send, sends } from './form.js';
import { button, icon, skeleton } from './parts.js';
import { openRate } from './rate.js';
import type { List, Marks, Named, Restaurant } from '../base/types.js';

const common = texts.common;
const words = texts.restaurant;

/** What can be done with a place: note a visit, save it, go there, and rate it unless the stars stand beside it. */
export function placeBar(place: Restaurant, { rate = true }: { rate?: boolean } = {}) {
  const mine = marksOf(place.id);
  const saved = mine !== undefined && (mine.want || mine.favourite || mine.lists.length > 0);
  const save = html`${icon('mark', 18, saved)}${saved ? common.saved : common.save}`;
  return html`<div class="acts placebar" role="group" aria-label=${words.bar.label}>
    ${rate ? barButton('rate', html`${icon('star')}${words.bar.rate}`, () => openRate(place), 'primary') : nothing}
    ${barButton('been', html`${icon('check')}${words.bar.been}`, () => been(place))}
    ${barButton('save', save, () => openSave(place))} ${goControl(place)}
  </div>`;
}

const barButton = (focus: string, text: unknown, run: () => unknown, kind = '') =>
  button(text, run, `button ${kind}`, { focus });

/** Opens the lists of the person, each with a box to tick. */
const openSave = needsUser('save', ({ id, name }: Named) =>
  openDialog({
    label: fill(words.saveTitle, { name }),
    needs: () => ['/lists'],
    body: () => saveBody({ id, name }),
  }),
);

function saveBody(place: Named) {
  const lists = answer<readonly List[]>('/lists');
  const mine = marksOf(place.id);
  return html`<h2>${fill(words.saveTitle, { name: place.name })}</h2>
    ${lists && mine ? lists.map((list) => listCheck(place, list, mine)) : skeleton(3)}
    <form class="newlist" novalidate @submit=${makeList(place)}>
      ${field({ name: 'name', label: words.newList, required: true, max: 100 })}
      <div class="acts end">
        <button class="button">${words.create}</button>
        ${button(common.close, closeDialog, 'button primary')}
      </div>
    </form>`;
}

function listCheck(place: Named, list: List, mine: Marks) {
  const { id, kind } = list;
  const isOn = kind === 'own' ? mine.lists.includes(id) : kind === 'want' ? mine.want : mine.favourite;
  return html`<label class="check"
    ><input type="checkbox" .checked=${live(isOn)} @change=${() => put(place, list, !isOn)} /><span
      >${list.name}</span
    ><span class="tiny soft">${fill(words.items, { count: list.item_count })}</span></label
  >`;
}

const put = (place: Named, { id, kind, name }: List, isOn: boolean) =>
  void setOnList(place, kind === 'own' ? id : kind, isOn, name);

const makeList = (place: Named) =>
  sends(({ name }) =>
    send<List>({ method: 'POST', path: '/lists', body: { name } }, (list) => put(place, list, true)),
  );

const KEPT = 'go';

/** Addresses that lead to a place, by its position or else its address, in each kind of maps. */
export function goLinks(place: Restaurant): Readonly<Record<string, string>> | undefined {
  const { name, latitude, longitude, address, google_place_id: google } = place;
  const point = latitude === null || longitude === null ? null : `${latitude},${longitude}`;
  const target = point ?? address;
  if (!target) return undefined;
  const to = encodeURIComponent(target);
  const label = encodeURIComponent(name);
  return {
    device: point ? `geo:${point}?q=${point}(${label})` : `geo:0,0?q=${to}`,
    apple: `https://maps.apple.com/?daddr=${to}&q=${label}`,
    google: `https://www.google.com/maps/dir/?api=1&destination=${to}${google ? `&destination_place_id=${encodeURIComponent(google)}` : ''}`,
    osm: `https://www.openstreetmap.org/directions?to=${to}`,
  };
}

/** Leads to a place with the maps that were chosen before, or asks for them. */
function goControl(place: Restaurant) {
  const links = goLinks(place);
  if (!links) return nothing;
  const app = readStored(KEPT) ?? '';
  const text = html`${icon('go')}${words.bar.go}`;
  return links[app] ? goLink(app, links[app], text) : barButton('go', text, () => openGo(place));
}

// The device's own maps open beside the page without a tab of their own.
const goLink = (app: string, href: string, text: unknown, onClick?: () => void) =>
  html`<a
    class="button"
    data-focus="go"
    href=${href}
    target=${app === 'device' ? nothing : '_blank'}
    rel="noopener"
    @click=${onClick}
    >${text}</a
  >`;

/** Opens the choice of maps; the chosen one is kept, and where that is not possible asked for again. */
export function openGo(place: Restaurant) {
  const links = goLinks(place) ?? {};
  const keep = (app: string) => () => {
    writeStored(KEPT, app);
    closeDialog();
  };
  const title = fill(words.goTitle, { name: place.name });
  openDialog({
    label: title,
    body: () =>
      html`<h2>${title}</h2>
        <ul class="choices">
          ${Object.entries(words.apps).map(
            ([app, text]) => html`<li>${goLink(app, links[app] ?? '', text, keep(app))}</li>`,
          )}
        </ul>
        <p class="tiny soft">${words.goHint}</p>`,
  });
}

/** Presses the control that leads to the place that is shown. */
export function go() {
  const control = [...document.querySelectorAll('[data-focus="go"]')].find((one) => one.checkVisibility());
  if (control instanceof HTMLElement) control.click();
}
