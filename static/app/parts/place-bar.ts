import { dotted } from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import { closeDialog, needsUser, openDialog } from '../state/actions.js';
import { been, setOnList } from '../state/place-actions.js';
import { marksOf } from '../state/places.js';
import { answer, readStored, writeStored } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { field, formFault, send, sends } from './form.js';
import { listName, listPeople } from './mine.js';
import { button, icon, skeleton } from './parts.js';
import { openRate } from './place-parts.js';
import type { List, Named, Restaurant } from '../base/types.js';

const common = texts.common;
const words = texts.restaurant;

/** What can be done with a place: note a visit, save it, go there, and rate it where the stars are not in view. */
export function placeBar(place: Restaurant, rate: '' | 'phone' | 'none' = '') {
  const { want = false, favourite = false, lists = [] } = marksOf(place.id) ?? {};
  const saved = want || favourite || lists.length > 0;
  const save = html`${icon('mark', 18, saved)}${saved ? common.savedPlace : common.savePlace}`;
  return html`<div class="acts placebar" role="group" aria-label=${words.bar.label}>
    ${rate === 'none' ? nothing : barButton('rate', html`${icon('star')}${words.bar.rate}`, () => openRate(place), `primary ${rate}`)}
    ${barButton('been', html`${icon('check')}${words.bar.been}`, () => been(place))}
    ${barButton('save', save, () => openSave(place))} ${goControl(place)}
  </div>`;
}

const barButton = (focus: string, text: unknown, run: () => unknown, kind = '') =>
  button(text, run, `button ${kind}`, { focus });

/** Opens the lists of the person, each with a box to tick. */
const openSave = needsUser('save', ({ id, name }: Named) => {
  const put = (list: List, isOn: boolean) =>
    void setOnList({ id, name }, list.kind === 'own' ? list.id : list.kind, isOn, listName(list));
  const make = sends(({ name }) =>
    send<List>({ method: 'POST', path: '/lists', body: { name } }, (list) => put(list, true)),
  );
  const check = (list: List) => {
    const { want, favourite, lists = [] } = marksOf(id) ?? {};
    const isOn = { own: lists.includes(list.id), want, favourites: favourite }[list.kind];
    return html`<label class="check"
      ><input type="checkbox" .checked=${live(isOn)} @change=${() => put(list, !isOn)} /><span dir="auto"
        >${listName(list)}</span
      ><span class="tiny soft"
        >${dotted([fill(words.items, { count: list.item_count }), listPeople(list)])}</span
      ></label
    >`;
  };
  openDialog({
    label: fill(words.saveTitle, { name }),
    needs: () => ['/lists'],
    body: () =>
      html`${(marksOf(id) && answer<readonly List[]>('/lists')?.map(check)) ?? skeleton(3)}
        <form class="newlist" novalidate @submit=${make}>
          ${formFault()} ${field({ name: 'name', label: words.newList, required: true, max: 100 })}
          <div class="acts end">
            <button class="button">${words.create}</button>
            ${button(common.close, closeDialog, 'button primary')}
          </div>
        </form>`,
  });
});

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
export function goControl(place: Restaurant, kind = '') {
  const links = goLinks(place);
  const text = html`${icon('go')}${words.bar.go}`;
  const app = readStored(KEPT) ?? '';
  if (links?.[app]) return goLink(app, links[app], text, `button ${kind}`);
  return links ? barButton('go', text, () => openGo(place), kind) : nothing;
}

/** The device's own maps open without a tab. Which maps they are is stored where that is possible. */
const goLink = (app: string, href: string, text: unknown, kind = 'button') =>
  html`<a
    class=${kind}
    data-focus="go"
    href=${href}
    target=${app === 'device' ? nothing : '_blank'}
    rel="noopener"
    @click=${() => (writeStored(KEPT, app), closeDialog())}
    >${text}</a
  >`;

/** Opens the choice of maps. */
export function openGo(place: Restaurant) {
  const links = goLinks(place) ?? {};
  openDialog({
    label: fill(words.goTitle, { name: place.name }),
    body: () =>
      html`<ul class="choices">
          ${Object.entries(words.apps).map(([app, text]) => html`<li>${goLink(app, links[app] ?? '', text)}</li>`)}
        </ul>
        <p class="tiny soft">${words.goHint}</p>`,
  });
}
