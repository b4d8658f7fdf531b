import { texts } from '../base/texts.js';
import { openMap } from '../map/open.js';
import { mapOptions } from '../parts/place-map.js';
import { navigate } from '../state/router.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { guard } from '../vendor/lit-html/directives/guard.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import type { CatalogueMap } from '../map/map.js';
import type { MapPoint } from '../map/types.js';
import type { AppConfig, Restaurant, State } from '../base/types.js';

const DESKTOP = matchMedia('(min-width: 1024px)');

let map: CatalogueMap | undefined;

/** The places of a list on a map of their own, where there is room beside it. */
export function listMap({ config }: State, places: readonly Restaurant[]) {
  const points = places.flatMap(
    ({ id, name, latitude: lat, longitude: lng, avg_rating: { count, overall } }) =>
      lat === null || lng === null ? [] : [[id, lat, lng, count === 0 ? null : overall, 0, name] as const],
  );
  if (!config || points.length === 0 || !DESKTOP.matches) return nothing;
  const shown = JSON.stringify(points.toSorted(([one], [other]) => one - other));
  return guard(
    [shown],
    () => html`<div class="map list-map" ${ref((element) => void show(element, config, points))}></div>`,
  );
}

async function show(element: Element | undefined, config: AppConfig, points: readonly MapPoint[]) {
  if (!(element instanceof HTMLElement)) return end();
  try {
    end();
    map = await openMap(element, {
      ...mapOptions(config, texts.map.label),
      onOpen: (id) => id !== undefined && navigate(`/restaurants/${id}`),
    });
    map.setPins({ points, groups: [] });
    map.fit(
      points.map(([, lat, lng]) => ({ lat, lng })),
      { animate: false },
    );
  } catch {
    // Without a map the list is the same.
  }
}

function end() {
  map?.destroy();
  map = undefined;
}
