import { nearestLng } from '../base/geo.js';
import type { Bounds, DivIconOptions, LatLngExpression, Map as LeafletMap, Point } from 'leaflet';
import type { MapOptions } from './types.js';

type Name = readonly [name: string, lat: number, lng: number, zoom: number];
interface NamesFile {
  readonly countries: readonly Name[];
  readonly cities: readonly Name[];
}
/** A pin in pixels of the world; a group has no name. */
interface Named {
  readonly at: Point;
  readonly radius: number;
  readonly name: string | undefined;
}

/** Even the whole world on a phone has the names of its largest countries. */
const LEAST_ZOOM = 2;
const [LETTER, LINE, GAP] = [7.5, 18, 5];

const isFile = (file: unknown): file is NamesFile =>
  typeof file === 'object' && file !== null && 'countries' in file;

/** A text at a position. */
export function label(at: LatLngExpression, text: string, { pane, ...look }: DivIconOptions) {
  const html = Object.assign(document.createElement('span'), { textContent: text });
  const icon = L.divIcon({ html, iconSize: [0, 0], ...look });
  return L.marker(at, { icon, keyboard: false, ...(pane && { pane, interactive: false }) });
}

/** The names on a map without tiles that have room: of countries and cities, then of the places at their pins. */
export class Names extends L.LayerGroup {
  #map: LeafletMap | undefined;
  #file: NamesFile = { countries: [], cities: [] };
  #pins: readonly Named[] = [];
  constructor(load: MapOptions['load']) {
    super();
    void load('map/names.json').then(
      (file) => {
        if (isFile(file)) this.#file = file;
        this.show(this.#pins);
      },
      // They are no more than a help.
      () => undefined,
    );
  }
  override onAdd(map: LeafletMap) {
    super.onAdd((this.#map = map));
    this.show(this.#pins);
    return this;
  }
  /** To be called with all pins whenever the map has moved. */
  show(pins: readonly Named[]) {
    this.#pins = pins;
    const map = this.#map;
    // The names may come before the first view, or after the map is gone.
    if (!map?.hasLayer(this)) return;
    this.clearLayers();
    const [zoom, middle, view] = [map.getZoom(), map.getCenter().lng, map.getPixelBounds()];
    const taken: Bounds[] = [];
    const put = (text: string, at: Point, kind: string, left: number) => {
      const width = text.length * LETTER + LINE;
      const box = L.bounds(at.add([-left * width, -LINE / 2]), at.add([(1 - left) * width, LINE / 2]));
      if (taken.some((other) => other.overlaps(box))) return;
      taken.push(box);
      // Also outside of the view, so that a name stays where it is while the map is moved.
      if (!view.intersects(box)) return;
      this.addLayer(label(map.unproject(at), text, { className: `map-${kind}`, pane: 'names' }));
    };
    for (const [kind, names] of [
      ['country', this.#file.countries],
      ['city', this.#file.cities],
    ] as const)
      for (const [text, lat, lng, from] of names)
        if (from <= Math.max(zoom, LEAST_ZOOM))
          put(text, map.project([lat, nearestLng(lng, middle)]), kind, 0.5);
    for (const { at, radius } of pins)
      taken.push(L.bounds(at.subtract([radius, radius]), at.add([radius, radius])));
    for (const { at, radius, name } of pins.toReversed())
      if (name && view.contains(at)) put(name, at.add([radius + GAP, 0]), 'place', 0);
  }
}
