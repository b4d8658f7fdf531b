import { act, closeDialog, faultText, isSignedIn, needsUser, openDialog } from '../actions.js';
import { been, knownPlace, placeUrl, setOnList } from '../place-actions.js';
import { readStored, setUi, writeStored } from '../store.js';
import { words as common } from '../texts.js';
import { words } from '../texts/restaurant.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { field, faultsOf, focusFault, valuesOf } from './form.js';
import { icon, skeleton } from './parts.js';
import { openRate } from './rate.js';

/** @import { List, Mine, Restaurant, State } from '../types.js' */
/** @typedef {keyof typeof words.apps} MapsApp */

/** @param {Mine | null | undefined} mine */
const isSaved = (mine) => Boolean(mine && (mine.want || mine.favourite || mine.lists.length > 0));

/**
 * What can be done with a place: rate it, note a visit, save it, go there.
 * @param {Restaurant} place
 * @param {{ rate?: boolean }} [options] without `rate` where the stars stand beside it
 */
export function placeBar(place, { rate = true } = {}) {
  const saved = isSaved(place.mine);
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
      ${icon('mark', 18, saved)}${saved ? words.bar.saved : words.bar.save}
    </button>
    ${goControl(place)}
  </div>`;
}

/** Opens the lists of the person, each with a box to tick. */
export const openSave = needsUser('save', (/** @type {Pick<Restaurant, 'id' | 'name'>} */ { id, name }) =>
  openDialog({
    label: words.saveTitle(name),
    needs: (state) => (isSignedIn(state) ? ['/lists', placeUrl(state, id)] : []),
    close: () => setUi({ newListFaults: undefined }),
    body: (state) => saveBody(state, { id, name }),
  }),
);

/**
 * @param {State} state
 * @param {Pick<Restaurant, 'id' | 'name'>} place
 */
function saveBody(state, place) {
  const lists = /** @type {readonly List[] | undefined} */ (state.data['/lists']?.body);
  const mine = knownPlace(state, place.id)?.mine;
  const faults = state.ui['newListFaults'] ?? {};
  return html`<h2>${words.saveTitle(place.name)}</h2>
    ${
      lists && mine
        ? lists.map(
            (list) =>
              html`<label class="check"
                ><input
                  type="checkbox"
                  .checked=${live(isOn(list, mine))}
                  @change=${(/** @type {any} */ event) => put(place, list, event.target.checked)}
                /><span>${list.name}</span
                ><span class="tiny soft">${words.items(list.item_count)}</span></label
              >`,
          )
        : skeleton(3)
    }
    <form class="newlist" @submit=${(/** @type {Event} */ event) => makeList(place, event)}>
      ${field({ name: 'name', label: words.newList, required: true, max: 100 }, faults)}
      <div class="acts end">
        <button class="button">${words.create}</button>
        <button type="button" class="button primary" @click=${closeDialog}>${common.close}</button>
      </div>
    </form>`;
}

/** @param {List} list @param {Mine} mine */
const isOn = ({ id, kind }, mine) =>
  kind === 'own' ? mine.lists.includes(id) : kind === 'want' ? mine.want : mine.favourite;

/**
 * @param {Pick<Restaurant, 'id' | 'name'>} place
 * @param {Pick<List, 'id' | 'kind' | 'name'>} list
 * @param {boolean} isOn
 */
function put(place, { id, kind, name }, isOn) {
  const said = isOn ? words.onList(place.name, name) : words.offList(place.name, name);
  /** @type {(mine: Mine) => Mine} */
  const alter = (mine) => {
    if (kind === 'want') return { ...mine, want: isOn };
    if (kind === 'favourites') return { ...mine, favourite: isOn };
    return { ...mine, lists: [...mine.lists.filter((one) => one !== id), ...(isOn ? [id] : [])] };
  };
  void setOnList(place, kind === 'own' ? id : kind, isOn, alter, said);
}

/**
 * @param {Pick<Restaurant, 'id' | 'name'>} place
 * @param {Event} event
 */
async function makeList(place, event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const { name } = valuesOf(event);
  const outcome = await act({
    method: 'POST',
    path: '/lists',
    body: { name },
    touches: ['/lists'],
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

/** @returns {MapsApp | undefined} the choice of before */
function keptApp() {
  const kept = readStored(KEPT) ?? '';
  return kept in words.apps ? /** @type {MapsApp} */ (kept) : undefined;
}

/**
 * Where maps are told to go: its position, else its address.
 * @param {Restaurant} place
 */
export function goLinks({ name, latitude, longitude, address, google_place_id: google }) {
  const point = latitude === null || longitude === null ? null : `${latitude},${longitude}`;
  const target = point ?? address;
  if (!target) return undefined;
  const to = encodeURIComponent(target);
  const label = encodeURIComponent(name);
  /** @type {Record<MapsApp, string>} */
  const links = {
    device: point ? `geo:${point}?q=${point}(${label})` : `geo:0,0?q=${to}`,
    apple: `https://maps.apple.com/?daddr=${to}&q=${label}`,
    google: `https://www.google.com/maps/dir/?api=1&destination=${to}${google ? `&destination_place_id=${encodeURIComponent(google)}` : ''}`,
    osm: `https://www.openstreetmap.org/directions?to=${to}`,
  };
  return links;
}

/** @param {Restaurant} place */
function goControl(place) {
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

/** The device's own maps open beside the page without a tab of their own. @param {MapsApp} app */
const targetOf = (app) => (app === 'device' ? nothing : '_blank');

/**
 * Opens the choice of maps; the chosen one is kept.
 * @param {Restaurant} place
 */
export function openGo(place) {
  const links = goLinks(place);
  if (!links) return;
  const keep = (/** @type {MapsApp} */ app) => () => {
    // Where it cannot be kept it is asked for again the next time.
    writeStored(KEPT, app);
    closeDialog();
  };
  openDialog({
    label: words.goTitle(place.name),
    body: () =>
      html`<h2>${words.goTitle(place.name)}</h2>
        <ul class="choices">
          ${
            /** @type {MapsApp[]} */ (Object.keys(links)).map(
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
            )
          }
        </ul>
        <p class="tiny soft">${words.goHint}</p>`,
  });
}

/**
 * Goes there with the kept choice, or asks for one.
 * @param {Restaurant} place
 */
export function go(place) {
  const kept = keptApp();
  const href = goLinks(place)?.[kept ?? 'device'];
  if (!kept || !href) return openGo(place);
  if (kept === 'device') location.assign(href);
  else open(href, '_blank', 'noopener');
}
