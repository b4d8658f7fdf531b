import { ownFile } from '../base/api.js';
import * as format from '../base/format.js';
import { contains, parseBox } from '../base/geo.js';
import { texts } from '../base/texts.js';
import { openMap } from '../map/open.js';
import { navigate } from '../state/router.js';
import { readStored, setUi, state, writeStored } from '../state/store.js';
import { AsyncDirective } from '../vendor/lit-html/async-directive.js';
import { directive } from '../vendor/lit-html/directive.js';
import { html, noChange, nothing } from '../vendor/lit-html/lit-html.js';
import { button } from './parts.js';
import type { ElementPart } from '../vendor/lit-html/directive.js';
import type { AppConfig, Position, Restaurant } from '../base/types.js';
import type { CatalogueMap } from '../map/map.js';
import type { MapOptions, MapPoint, Tiles } from '../map/types.js';

const words = texts.map;

/** `points` are several places in place of one, which open by a press; `onPick` makes it a map to pick a position on. */
interface PlaceMap {
  position?: Position | undefined;
  points?: readonly MapPoint[];
  /** stands in the drop */
  score?: string;
  onPick?: (position: Position) => void;
}

/** At this zoom a street has a shape. */
const STREET_ZOOM = 16;
export const WORLD = { lat: 25, lng: 10, zoom: 1 };

/** Whether the reader of this browser asked for the streets. */
const isOn = () => readStored('streets') === 'on';

const choose = () => {
  writeStored('streets', isOn() ? undefined : 'on');
  setUi({});
};

/** The ground of all maps: the streets of another server only where the reader asked for them. */
export function shownTiles({ tiles }: AppConfig): Tiles {
  if (tiles.offer && isOn()) return { kind: 'raster', ...tiles.offer };
  return tiles.kind === 'none' ? { ...tiles, attribution: words.coast } : tiles;
}

/** On a map: leads to its streets, until they are there. */
export const streetsButton = ({ tiles }: AppConfig) =>
  tiles.offer && !isOn()
    ? button(
        html`${words.streets} <small class="soft">${words.streetsFrom}</small>`,
        choose,
        'button streets',
      )
    : nothing;

/** In Settings: takes the choice back. */
export const streetsPart = (config: AppConfig | undefined) =>
  config?.tiles.offer
    ? html`<div class="box">
        <label class="check"
          ><input type="checkbox" .checked=${isOn()} @change=${choose} />${words.streets}</label
        >
        <p class="small soft">${words.streetsFrom}</p>
      </div>`
    : nothing;

/** The area that Explore's map showed last. */
export const shownArea = () => parseBox(new URLSearchParams(state.ui.area).get('bbox'));

/** What stands in a drop. */
export const dropText = (overall: number | null | undefined) => (overall ? format.score(overall) : '–');

type Sync = (map: CatalogueMap | undefined, element: HTMLElement) => void;
type Options = Partial<MapOptions> & { readonly label: string };

class OnMap extends AsyncDirective {
  #map: Promise<CatalogueMap | undefined> | undefined;
  #last: readonly [AppConfig, Options, Sync] | undefined;
  override render(...last: [AppConfig, Options, Sync]) {
    this.#last = last;
    return noChange;
  }
  override update({ element }: ElementPart, [config, options, sync]: [AppConfig, Options, Sync]) {
    if (element instanceof HTMLElement) {
      this.#map ??= this.#open(element, config, options);
      void this.#map.then((map) => {
        if (!this.isConnected || !this.#last) return;
        map?.setTiles(shownTiles(this.#last[0]));
        this.#last[2](map, element);
      });
    }
    return this.render(config, options, sync);
  }
  override disconnected() {
    void this.#map?.then((map) => map?.destroy());
  }
  #open(element: HTMLElement, config: AppConfig, { label, onPick, ...options }: Options) {
    const { zoomIn, zoomOut } = words;
    const { connection }: Navigator & { connection?: { saveData?: boolean } } = navigator;
    return openMap(element, {
      ...options,
      tiles: shownTiles(config),
      labels: { map: label, zoomIn, zoomOut, distance: format.distance, count: format.compact },
      load: async (path): Promise<unknown> => JSON.parse(await (await ownFile(path)).text()),
      saveData: connection?.saveData === true,
      onPick: onPick && ((position) => this.#last?.[1].onPick?.(position)),
    }).catch(() => undefined);
  }
}

/**
 * Opens a map in its element, which goes with it. A function then brings the map in line each time that the element is
 * drawn, or gets undefined where no map can be loaded.
 */
export const onMap = directive(OnMap);

/** A small map of a place: a picture, or with `onPick` a map on which a press moves the place; or one of several places. */
export function placeMap({ position, points, score = '', onPick }: PlaceMap) {
  const { config } = state;
  if (!config) return nothing;
  const sync = (map: CatalogueMap | undefined) => {
    if (points && map?.setPins({ points, groups: [] }))
      map.fit(
        points.map(([, lat, lng]) => ({ lat, lng })),
        { animate: false },
      );
    if (points || !map) return;
    const isNew = map.select(position && { id: 0, ...position, score });
    const box = map.area()?.bbox;
    // A place that was picked on the map is in view already.
    if (position && isNew && !(box && contains(box, position))) map.view({ ...position, zoom: STREET_ZOOM });
    if (position || box) return;
    const around = shownArea();
    if (around) map.fit(around, { animate: false });
    else map.view(WORLD);
  };
  const options: Options = {
    label: points ? words.label : onPick ? words.pickLabel : words.placeLabel,
    interactive: (points ?? onPick) !== undefined,
    onOpen: (id) => id && navigate(`/restaurants/${id}`),
    onPick,
  };
  return html`<div class="place-ground">
    <div class="map place-map" ${onMap(config, options, sync)}></div>
    ${streetsButton(config)}
  </div>`;
}

/** Rows of places, next to a map of them where the window is wide; `always` puts it above them elsewhere. */
export function withMap(places: readonly Restaurant[], rows: unknown, always = false) {
  const points = places
    .toSorted((one, other) => one.id - other.id)
    .flatMap(({ id, latitude: lat, longitude: lng, avg_rating: { count, overall }, name }) =>
      lat === null || lng === null ? [] : [[id, lat, lng, count === 0 ? null : overall, 0, name] as const],
    );
  const isWide = matchMedia('(min-width: 1024px)').matches;
  const hasMap = points.length > 0 && (isWide || always);
  const map = hasMap ? html`<div class="list-map">${placeMap({ points })}</div>` : nothing;
  return html`<div class="split">
    ${isWide ? nothing : map}
    <div>${rows}</div>
    ${isWide ? map : nothing}
  </div>`;
}
