import { ownFile } from '../base/api.js';
import * as format from '../base/format.js';
import { contains, parseBox } from '../base/geo.js';
import { texts } from '../base/texts.js';
import { openMap } from '../map/open.js';
import { navigate } from '../state/router.js';
import { readStored, setUi, writeStored } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { button } from './parts.js';
import type { AppConfig, Box, Position, State } from '../base/types.js';
import type { CatalogueMap } from '../map/map.js';
import type { MapOptions, MapPoint, Tiles } from '../map/types.js';

const words = texts.map;

export interface PlaceMap {
  position?: Position | undefined;
  /** in place of one: several places, which open by a press */
  points?: readonly MapPoint[];
  /** the mean of its ratings */
  overall?: number | undefined;
  /** what to show while there is no position */
  around?: Box | undefined;
  /** stands in the drop instead of it */
  mark?: string;
  /** makes it a map to pick a position on */
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
export const shownArea = ({ ui }: State) => parseBox(new URLSearchParams(ui.area).get('bbox'));

/** What all maps of the app have in common. */
export function mapOptions(config: AppConfig, label: string): MapOptions {
  const { zoomIn, zoomOut } = words;
  const { connection }: Navigator & { connection?: { saveData?: boolean } } = navigator;
  return {
    tiles: shownTiles(config),
    labels: { map: label, zoomIn, zoomOut, distance: format.distance, count: format.compact },
    load: async (path): Promise<unknown> => JSON.parse(await (await ownFile(path)).text()),
    saveData: connection?.saveData === true,
  };
}

/** What stands in a drop. */
export const dropText = (overall: number | null | undefined) => (overall ? format.score(overall) : '–');

interface Shown {
  readonly map: Promise<CatalogueMap | undefined>;
  options: PlaceMap;
  shown: string;
}

const maps = new WeakMap<Element, Shown>();

/** A small map of a place: a picture, or with `onPick` a map on which a press moves the place; or one of several places. */
export function placeMap(config: AppConfig, options: PlaceMap) {
  let mine: HTMLElement | undefined;
  return html`<div class="place-ground">
    <div
      class="map place-map"
      ${ref((element) => {
        if (element instanceof HTMLElement) void show((mine = element), config, options);
        else queueMicrotask(() => mine?.isConnected === false && end(mine));
      })}
    ></div>
    ${streetsButton(config)}
  </div>`;
}

async function show(element: HTMLElement, config: AppConfig, options: PlaceMap) {
  const entry = maps.get(element) ?? { map: open(element, config, options), options, shown: '' };
  maps.set(element, entry);
  entry.options = options;
  const map = await entry.map;
  const { position, points, overall, around, onPick, mark = onPick ? '' : dropText(overall) } = entry.options;
  map?.setTiles(shownTiles(config));
  const shown = JSON.stringify(points ?? position ?? null);
  if (!map || shown === entry.shown) return;
  const isFirst = entry.shown === '';
  entry.shown = shown;
  if (points) {
    map.setPins({ points, groups: [] });
    return map.fit(
      points.map(([, lat, lng]) => ({ lat, lng })),
      { animate: false },
    );
  }
  map.select(position && { id: 0, ...position, score: mark });
  // A place that was picked on the map is in view already.
  if (position && !isFirst && contains(map.area().bbox, position)) return;
  if (position) map.view({ ...position, zoom: STREET_ZOOM });
  else if (isFirst && around) map.fit(around, { animate: false });
  else if (isFirst) map.view(WORLD);
}

/** @returns undefined where no map can be loaded: it is no more than a picture */
const open = (element: HTMLElement, config: AppConfig, { points, onPick }: PlaceMap) =>
  openMap(element, {
    ...mapOptions(config, points ? words.label : onPick ? words.pickLabel : words.placeLabel),
    interactive: (points ?? onPick) !== undefined,
    onOpen: (id) => id && navigate(`/restaurants/${id}`),
    onPick: onPick && ((position) => maps.get(element)?.options.onPick?.(position)),
  }).catch(() => undefined);

function end(element: HTMLElement) {
  void maps.get(element)?.map.then((map) => map?.destroy());
  maps.delete(element);
}
