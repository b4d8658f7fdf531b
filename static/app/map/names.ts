import { mercator, nearestLng } from '../base/geo.js';
import { label } from './rings.js';
import type { MapOptions } from './types.js';

type Name = readonly [name: string, lat: number, lng: number, zoom: number];
interface File {
  readonly countries: readonly Name[];
  readonly cities: readonly Name[];
}

/** Even the whole world on a phone has the names of its largest countries. */
const LEAST_ZOOM = 2;
const [LETTER, LINE] = [7.5, 18];

/** Which names have room, the important ones first: the same wherever the map is moved at this zoom. */
function placed({ countries, cities }: File, zoom: number) {
  const boxes: { x: number; y: number; width: number }[] = [];
  const kinds = [
    countries.map((name) => ({ kind: 'country', name })),
    cities.map((name) => ({ kind: 'city', name })),
  ];
  return kinds.flat().filter(({ name: [text, lat, lng, from] }) => {
    const [x, y] = mercator(lat, lng).map((share) => share * 256 * 2 ** zoom);
    const box = { x: x ?? 0, y: y ?? 0, width: text.length * LETTER + LINE };
    const hits = (other: typeof box) =>
      Math.abs(box.x - other.x) < (box.width + other.width) / 2 && Math.abs(box.y - other.y) < LINE;
    return from <= Math.max(zoom, LEAST_ZOOM) && !boxes.some(hits) && boxes.push(box) > 0;
  });
}

const isFile = (file: unknown): file is File =>
  typeof file === 'object' && file !== null && 'countries' in file;

/** The names of countries and cities, for a map without tiles. */
export class Names extends L.LayerGroup {
  #file: File | undefined;
  constructor(load: MapOptions['load'], attribution: string) {
    super([], { attribution });
    void load('map/names.json')
      .then((file) => {
        if (isFile(file)) this.#file = file;
        this.#draw();
      })
      // They are no more than a help, and the map may be gone by now.
      .catch(() => undefined);
  }
  override getEvents() {
    return { moveend: () => this.#draw() };
  }
  #draw() {
    if (!this.#file) return;
    const [view, middle] = [this._map.getBounds().pad(0.1), this._map.getCenter().lng];
    this.clearLayers();
    for (const { kind, name } of placed(this.#file, this._map.getZoom())) {
      const at = L.latLng(name[1], nearestLng(name[2], middle));
      if (view.contains(at)) this.addLayer(label(at, name[0], { className: `map-${kind}`, pane: 'names' }));
    }
  }
}
