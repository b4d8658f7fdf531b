import type { Bounds, Layer, Map, Point } from 'leaflet';
import type { Box, Position } from '../base/types.js';

export type Leaflet = typeof import('leaflet');
export type LeafletMap = Map;

/** What a map shows. */
export interface Area {
  readonly bbox: Box;
  readonly zoom: number;
}
export interface Edges {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}
/** The reader's own position; `accuracy` in metres. */
export interface Me extends Position {
  readonly accuracy: number;
}
/** The place under the drop; `score` is the text in it. */
export interface Selected extends Position {
  readonly id: number;
  readonly score: string;
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
export type MapGroup = readonly [lat: number, lng: number, count: number];
export interface MapAnswer {
  readonly total: number;
  readonly points: readonly MapPoint[];
  readonly groups: readonly MapGroup[];
}
/** `x` and `y` in Web Mercator, `px` and `py` where it was drawn last, in layer points. */
export interface Pin {
  readonly x: number;
  readonly y: number;
  px: number;
  py: number;
  readonly radius: number;
  readonly point?: MapPoint;
  readonly group?: MapGroup;
}

/** Values of the tokens of tokens.css, by their names without dashes. */
export type Colours = Readonly<Record<string, string>>;
/** A canvas covers `bounds`, in layer points; `origin` is where 0,0 of these lies in a world `world` pixels wide. */
export interface Frame {
  readonly bounds: Bounds;
  readonly origin: Point;
  readonly world: number;
  readonly map: Map;
}
export type Draw = (context: CanvasRenderingContext2D, frame: Frame) => void;
export interface CanvasLayer extends Layer {
  readonly redraw: () => void;
}

export interface Tiles {
  readonly kind: 'none' | 'pmtiles' | 'raster';
  readonly url: string | null;
  readonly attribution: string | null;
}
/** A coast or an island in Web Mercator, with its extent. */
export interface Ring {
  readonly points: Float64Array;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}
/** TopoJSON as world-atlas has it. */
export interface Topology {
  readonly transform: { readonly scale: [number, number]; readonly translate: [number, number] };
  readonly arcs: readonly (readonly [number, number][])[];
  readonly objects: { readonly land: { readonly geometries: readonly { readonly arcs: number[][][] }[] } };
}
export interface BaseOptions {
  readonly tiles: Tiles;
  readonly saveData: boolean;
  readonly colours: () => Colours;
  /** Reads a JSON file of the app. */
  readonly load: (path: string) => Promise<unknown>;
  /** Loads protomaps-leaflet. */
  readonly loadVectorTiles: () => Promise<void>;
}

export interface Labels {
  readonly map: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly distance: (metres: number) => string;
  readonly count: (count: number) => string;
}
export interface MapOptions {
  /** As /api/app-config answers them. */
  readonly tiles: Tiles;
  readonly labels: Labels;
  /** Reads a JSON file of the app. */
  readonly load: (path: string) => Promise<unknown>;
  /** 300 ms after the map came to rest; `byUser` when a gesture or a button on the map moved it. */
  readonly onRest?: (area: Area & { readonly byUser: boolean }) => void;
  /** A pin was pressed, or the bare map: undefined. */
  readonly onOpen?: (id: number | undefined) => void;
  readonly onHover?: (id: number | undefined) => void;
  readonly onPick?: (position: Position) => void;
  /** False: a picture that neither moves nor answers. */
  readonly interactive?: boolean;
  readonly saveData?: boolean;
}
export interface CatalogueMap {
  readonly setPins: (answer: Pick<MapAnswer, 'points' | 'groups'>) => void;
  /** Puts the drop on a place and brings that into view; without one takes the drop away. */
  readonly select: (place?: Selected) => void;
  /** Lifts the pin of a place and says its name; puts the last one back. */
  readonly hover: (id: number | undefined) => void;
  /** Shows a box, or all of some positions. `exact` gets back the view whose `area` the box was. */
  readonly fit: (
    target: Box | readonly Position[],
    how?: { readonly animate?: boolean; readonly exact?: boolean },
  ) => void;
  readonly view: (to: Position & { readonly zoom: number }) => void;
  /** How many pixels at its edges something else covers: what is fitted or selected keeps clear of them. */
  readonly padding: (edges: Partial<Edges>) => void;
  readonly showMe: (position?: Me) => void;
  /** Whether a press picks a position instead of a pin. */
  readonly pick: (on: boolean) => void;
  readonly area: () => Area;
  readonly resize: () => void;
  readonly destroy: () => void;
}
