import { texts } from '../base/texts.js';
import { ownFile } from '../base/api.js';
import * as format from '../base/format.js';
import { contains, parseBox } from '../base/geo.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { openMap } from '../map/open.js';
import { shownTiles, streetsButton } from './streets.js';
import type { AppConfig, State, Box, Position } from '../base/types.js';
import type { CatalogueMap } from '../map/map.js';
import type { MapOptions } from '../map/types.js';

const words = texts.map;

export interface PlaceMap {
  position: Position | undefined;
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
const WORLD = { lat: 25, lng: 10, zoom: 1 };

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

const maps = new WeakMap<
  Element,
  { map: Promise<CatalogueMap | undefined>; options: PlaceMap; shown: string }
>();

/** A small map of one place: a picture, or with `onPick` a map on which a press moves the place. */
export function placeMap(config: AppConfig, options: PlaceMap) {
  let mine: HTMLElement | undefined;
  return html`<div class="place-ground">
    <div
      class="map place-map"
      ${ref((element) => {
        if (element instanceof HTMLElement) void show((mine = element), config, options);
        else queueMicrotask(() => mine && !mine.isConnected && end(mine));
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
  const { position, overall, around, onPick, mark = onPick ? '' : dropText(overall) } = entry.options;
  map?.setTiles(shownTiles(config));
  const shown = JSON.stringify(position ?? null);
  if (!map || shown === entry.shown) return;
  const isFirst = entry.shown === '';
  entry.shown = shown;
  map.select(position && { id: 0, ...position, score: mark });
  if (!position && isFirst && around) map.fit(around, { animate: false });
  else if (!position && isFirst) map.view(WORLD);
  // A place that was picked on the map is in view already.
  else if (position && (isFirst || !contains(map.area().bbox, position)))
    map.view({ ...position, zoom: STREET_ZOOM });
}

/** @returns undefined where no map can be loaded: it is no more than a picture */
const open = (element: HTMLElement, config: AppConfig, { onPick }: PlaceMap) =>
  openMap(element, {
    ...mapOptions(config, onPick ? words.pickLabel : words.placeLabel),
    interactive: onPick !== undefined,
    onPick: onPick && ((position) => maps.get(element)?.options.onPick?.(position)),
  }).catch(() => undefined);

function end(element: HTMLElement) {
  void maps.get(element)?.map.then((map) => map?.destroy());
  maps.delete(element);
}
