import type { Box, Position } from '../base/types.js';

/** What a map shows. */
export interface Area {
  readonly bbox: Box;
  readonly zoom: number;
}
/** Points and groups as GET /restaurants/map answers them. */
export type MapPoint = readonly [
  id: number,
  lat: number,
  lng: number,
  overall: number | null,
  flags: number,
  name: string,
];
export interface MapPins {
  readonly points: readonly MapPoint[];
  readonly groups: readonly (readonly [lat: number, lng: number, count: number])[];
}

/** Values of the tokens of tokens.css, by their names without dashes. */
export type Colours = Readonly<Record<string, string>>;

export interface Tiles {
  readonly kind: 'none' | 'pmtiles' | 'raster';
  readonly url: string | null;
  readonly attribution: string | null;
}

export interface MapOptions {
  readonly tiles: Tiles;
  readonly labels: Readonly<Record<'map' | 'zoomIn' | 'zoomOut', string>> &
    Readonly<Record<'distance' | 'count', (value: number) => string>>;
  /** Reads a JSON file of the app. */
  readonly load: (path: string) => Promise<unknown>;
  /** 300 ms after the map came to rest; `byUser` when a gesture or a button on the map moved it. */
  readonly onRest?: (area: Area & { readonly byUser: boolean }) => void;
  /** A pin was pressed, or the bare map: undefined. */
  readonly onOpen?: (id: number | undefined) => void;
  readonly onHover?: (id: number | undefined) => void;
  /** Makes a press pick a position instead of a pin. */
  readonly onPick?: ((position: Position) => void) | undefined;
  /** False: a picture that neither moves nor answers. */
  readonly interactive?: boolean;
  readonly saveData?: boolean;
}
