import { texts } from '../base/texts.js';
import { toast } from '../state/actions.js';
import { setQuery } from '../state/router.js';
import { setUi } from '../state/store.js';

const words = texts.map;

const NEAR_KILOMETRES = '5';

/** Browsers tell positions to pages of a secure origin alone. */
export const hasPosition = isSecureContext && 'geolocation' in navigator;

/** Shows the places around the reader. */
export function showNear() {
  navigator.geolocation.getCurrentPosition(
    ({ coords: { latitude, longitude, accuracy } }) => {
      setUi({ me: { lat: latitude, lng: longitude, accuracy } });
      const here = { lat: latitude.toFixed(4), lng: longitude.toFixed(4), radius: NEAR_KILOMETRES };
      setQuery({ ...here, bbox: undefined, sort: undefined });
    },
    () => toast({ text: words.noPosition, kind: 'fault' }),
    { timeout: 10_000, maximumAge: 60_000 },
  );
}

/** Shows the places of everywhere again. */
export function endNear() {
  setQuery({ lat: undefined, lng: undefined, radius: undefined, sort: undefined });
}
