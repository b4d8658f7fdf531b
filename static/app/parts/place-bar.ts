import { fill, texts } from '../base/texts.js';
import { act, closeDialog, faultText, isSignedIn, needsUser, openDialog } from '../state/actions.js';
import { been, setOnList } from '../state/place-actions.js';
import { marksOf } from '../state/places.js';
import { readStored, setUi, writeStored } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { field, faultsOf, focusFault, valuesOf } from './form.js';
import { icon, skeleton } from './parts.js';
import { openRate } from './rate.js';
import type { List, Marks, Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.restaurant;

export type MapsApp = keyof typeof words.apps;

const isSaved = (mine: Marks | undefined) =>
  Boolean(mine && (mine.want || mine.favourite || mine.lists.length > 0));

/**
 * What can be done with a place: rate it, note a visit, save it, go there.
 * @param options without `rate` where the stars stand beside it
 */
export function placeBar(place: Restaurant, { rate = true }: { rate?: boolean } = {}) {
  const saved = isSaved(marksOf(place.id));
  return html`<div class="acts placebar" role="group" aria-label=${words.bar.label}>
    ${
      rate
        ? html`<button type="button" class="button primary" data-focus="rate" @click=${() => openRate(place)}>
            ${icon('star')}${words.bar.rate}
          </button>`
        : nothing
    }
    <button type="button" class="button" data-focus="been" @click=${() => been(place)}>
      ${icon('check')}${words.bar.been}
    </button>
    <button
      type="button"
      class="button"
      data-focus="save"
      aria-haspopup="dialog"
      @click=${() => openSave(place)}
    >
      ${icon('mark', 18, saved)}${saved ? common.saved : common.save}
    </button>
    ${goControl(place)}
  </div>`;
}

/** Opens the lists of the person, each with a box to tick. */
export const openSave = needsUser('save', ({ id, name }: Pick<Restaurant, 'id' | 'name'>) =>
  openDialog({
    label: fill(words.saveTitle, { name }),
    needs: (state) => (isSignedIn(state) ? ['/lists'] : []),
    close: () => setUi({ newListFaults: undefined }),
    body: (state) => saveBody(state, { id, name }),
  }),
);

function saveBody(state: State, place: Pick<Restaurant, 'id' | 'name'>) {
  const lists = state.data['/lists']?.body as readonly List[] | undefined;
  const mine = marksOf(place.id);
  const faults = state.ui.newListFaults ?? {};
  return html`<h2>${fill(words.saveTitle, { name: place.name })}</h2>
    ${
      lists && mine
        ? lists.map(
            (list) =>
              html`<label class="check"
                ><input
                  type="checkbox"
                  .checked=${live(isOn(list, mine))}
                  @change=${(event: any) => put(place, list, event.target.checked)}
                /><span>${list.name}</span
                ><span class="tiny soft">${fill(words.items, { count: list.item_count })}</span></label
              >`,
          )
        : skeleton(3)
    }
    <form class="newlist" @submit=${(event: Event) => makeList(place, event)}>
      ${field({ name: 'name', label: words.newList, required: true, max: 100 }, faults)}
      <div class="acts end">
        <button class="button">${words.create}</button>
        <button type="button" class="button primary" @click=${closeDialog}>${common.close}</button>
      </div>
    </form>`;
}

const isOn = ({ id, kind }: List, mine: Marks) =>
  kind === 'own' ? mine.lists.includes(id) : kind === 'want' ? mine.want : mine.favourite;

function put(
  place: Pick<Restaurant, 'id' | 'name'>,
  { id, kind, name }: Pick<List, 'id' | 'kind' | 'name'>,
  isOn: boolean,
) {
  const said = isOn
    ? fill(words.onList, { name: place.name, list: name })
    : fill(words.offList, { name: place.name, list: name });
  void setOnList(place, kind === 'own' ? id : kind, isOn, said);
}

async function makeList(place: Pick<Restaurant, 'id' | 'name'>, event: Event) {
  const form = event.target as HTMLFormElement;
  const { name } = valuesOf(event);
  const outcome = await act({
    method: 'POST',
    path: '/lists',
    body: { name },
    quiet: true,
  });
  if (!outcome.ok) {
    const message = faultText(outcome.fault);
    setUi({ newListFaults: { name: message, ...faultsOf({ ...outcome.fault, message }, ['name']) } });
    return focusFault();
  }
  form.reset();
  setUi({ newListFaults: undefined });
  put(place, outcome.body, true);
}

const KEPT = 'go';

/** @returns the choice of before */
function keptApp(): MapsApp | undefined {
  const kept = readStored(KEPT) ?? '';
  return kept in words.apps ? (kept as MapsApp) : undefined;
}

/** Where maps are told to go: its position, else its address. */
export function goLinks({ name, latitude, longitude, address, google_place_id: google }: Restaurant) {
  const point = latitude === null || longitude === null ? null : `${latitude},${longitude}`;
  const target = point ?? address;
  if (!target) return undefined;
  const to = encodeURIComponent(target);
  const label = encodeURIComponent(name);
  const links: Record<MapsApp, string> = {
    device: point ? `geo:${point}?q=${point}(${label})` : `geo:0,0?q=${to}`,
    apple: `https://maps.apple.com/?daddr=${to}&q=${label}`,
    google: `https://www.google.com/maps/dir/?api=1&destination=${to}${google ? `&destination_place_id=${encodeURIComponent(google)}` : ''}`,
    osm: `https://www.openstreetmap.org/directions?to=${to}`,
  };
  return links;
}

function goControl(place: Restaurant) {
  const links = goLinks(place);
  if (!links) return nothing;
  const kept = keptApp();
  const text = html`${icon('go')}${words.bar.go}`;
  if (kept)
    return html`<a class="button" data-focus="go" href=${links[kept]} target=${targetOf(kept)} rel="noopener"
      >${text}</a
    >`;
  return html`<button
    type="button"
    class="button"
    data-focus="go"
    aria-haspopup="dialog"
    @click=${() => openGo(place)}
  >
    ${text}
  </button>`;
}

/** The device's own maps open beside the page without a tab of their own. */
const targetOf = (app: MapsApp) => (app === 'device' ? nothing : '_blank');

/** Opens the choice of maps; the chosen one is kept. */
export function openGo(place: Restaurant) {
  const links = goLinks(place);
  if (!links) return;
  const keep = (app: MapsApp) => () => {
    // Where it cannot be kept it is asked for again the next time.
    writeStored(KEPT, app);
    closeDialog();
  };
  openDialog({
    label: fill(words.goTitle, { name: place.name }),
    body: () =>
      html`<h2>${fill(words.goTitle, { name: place.name })}</h2>
        <ul class="choices">
          ${(Object.keys(links) as MapsApp[]).map(
            (app) =>
              html`<li>
                <a
                  class="button"
                  href=${links[app]}
                  target=${targetOf(app)}
                  rel="noopener"
                  @click=${keep(app)}
                  >${words.apps[app]}</a
                >
              </li>`,
          )}
        </ul>
        <p class="tiny soft">${words.goHint}</p>`,
  });
}

/** Goes there with the kept choice, or asks for one. */
export function go(place: Restaurant) {
  const kept = keptApp();
  const href = goLinks(place)?.[kept ?? 'device'];
  if (!kept || !href) return openGo(place);
  if (kept === 'device') location.assign(href);
  else open(href, '_blank', 'noopener');
}
