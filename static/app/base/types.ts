import type { TemplateResult } from 'lit-html';

/** Answers of the API as far as the app reads them; the description of the API says all. */
export interface Named {
  readonly id: number;
  readonly name: string;
}
export interface Author {
  readonly id: number;
  readonly username: string;
}
export interface User extends Author {
  readonly email: string;
  readonly full_name: string | null;
  readonly is_admin: boolean;
  readonly provider: string;
}
export interface Means {
  readonly food: number;
  readonly service: number;
  readonly ambiance: number;
  readonly overall: number;
  readonly count: number;
}
export interface Opening {
  readonly state: 'open' | 'closed' | 'unknown';
  readonly until: string | null;
  readonly reason: string | null;
}
/** What the user has to do with a place. */
export interface Marks {
  readonly lists: readonly number[];
  readonly want: boolean;
  readonly favourite: boolean;
  readonly rating_id: number | null;
  readonly visits: number;
  readonly last_visited_on: string | null;
}
export interface Cover {
  readonly thumbnail_url: string;
  readonly width: number;
  readonly height: number;
}
export interface Restaurant extends Named {
  readonly description: string | null;
  readonly address: string | null;
  readonly phone: string | null;
  readonly website: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly google_place_id: string | null;
  readonly price_level: number | null;
  readonly opening_hours: string | null;
  readonly time_zone: string | null;
  readonly diets: Readonly<Record<string, string | null>>;
  readonly external_ids: Readonly<Record<string, string | null>>;
  readonly category: Named | null;
  readonly food_types: readonly Named[];
  readonly avg_rating: Means;
  readonly is_suggestion: boolean;
  readonly suggestion_id: number | null;
  readonly status: string;
  readonly opening?: Opening;
  readonly cover?: Cover | null;
  /** Kilometres from `lat` and `lng` of the request. */
  readonly distance?: number;
}
export interface Rating {
  readonly id: number;
  readonly restaurant_id: number;
  readonly food_rating: number;
  readonly service_rating: number;
  readonly ambiance_rating: number;
  readonly comment: string | null;
  readonly author: Author | null;
  readonly created_at: string;
  readonly updated_at: string;
}
export interface Photo {
  readonly id: number;
  readonly restaurant_id: number;
  readonly caption: string | null;
  readonly width: number;
  readonly height: number;
  readonly url: string;
  readonly thumbnail_url: string | null;
  readonly author: Author | null;
  readonly created_at: string;
}
export interface List extends Named {
  readonly kind: 'want' | 'favourites' | 'own';
  readonly description: string | null;
  readonly item_count: number;
}
export interface ListWithItems extends List {
  readonly items: readonly ListItem[];
}
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  readonly total: number;
}
export interface AppConfig {
  readonly name: string;
  readonly version: string;
  readonly auth_mode: 'none' | 'local' | 'oauth' | 'both';
  readonly registration: 'open' | 'invite' | 'closed';
  readonly write_access: 'users' | 'admins';
  readonly providers: readonly string[];
  readonly read_only: boolean;
  readonly primary_url: string | null;
  readonly maps: { readonly provider: string; readonly attribution: string | null };
  readonly tiles: {
    readonly kind: 'none' | 'pmtiles' | 'raster';
    readonly url: string | null;
    readonly attribution: string | null;
    /** Tiles of another server, for readers who ask for them. */
    readonly offer: { readonly url: string; readonly attribution: string } | null;
  };
  readonly trash_days: number;
  readonly max_body_bytes: number;
}

/** Why a request failed: `status` 0 is no network or no answer in time. */
export interface Fault {
  readonly status: number;
  readonly message: string;
  readonly requestId: string | null;
  readonly retryAfter: number | null;
}

/** One answer of the API that a screen reads; `at` is when it was got, in milliseconds. */
export interface Entry {
  /**
   * `stale`: shown, but being asked for again; `offline`: the last copy, since nothing could be reached; `busy`: the
   * service had too much to do, and is asked again by and by.
   */
  state: 'loading' | 'ok' | 'stale' | 'busy' | 'offline' | 'failed';
  body?: unknown;
  etag?: string | null | undefined;
  at?: number | undefined;
  fault?: Fault;
}

export interface Route {
  readonly path: string;
  readonly pattern: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly hash: string;
  /** Undefined while its module is being loaded, and for paths that no screen has. */
  view?: View;
  failed?: boolean;
}

/** A page of the app: `tab` is the entry of the navigation that is current there, `whole` fills the window. */
export interface RouteRow {
  readonly pattern: string;
  readonly tab: string;
  readonly whole?: true;
  readonly view: () => Promise<View>;
}

/** What the module of a screen exports. */
export interface View {
  /** Addresses below /api that it shows, with their queries; at most four. Called again after every change of the state. */
  readonly needs?: (state: State) => readonly string[];
  readonly view: (state: State) => TemplateResult;
  readonly title: (state: State) => string;
  /** What single keys do there, by `KeyboardEvent.key`. */
  readonly keys?: Readonly<Record<string, (state: State) => void>>;
  /** Called once when the screen is entered, and when it is left. */
  readonly enter?: (state: State) => void;
  readonly leave?: (state: State) => void;
}

export interface Toast {
  readonly text: string;
  readonly kind?: 'done' | 'fault';
  readonly undo?: () => unknown;
  /** It undid something, so that its own undo is a redo. */
  readonly isUndo?: boolean;
  readonly action?: { readonly text: string; readonly run: () => void };
}

export interface Dialog {
  readonly label: string;
  /** Addresses below /api that it shows. */
  readonly needs?: (state: State) => readonly string[];
  readonly body: (state: State) => TemplateResult;
  readonly close?: () => void;
  /** `sheet` comes from below on a phone, `whole` fills the window. */
  readonly shape?: 'sheet' | 'whole';
}

/** A photo on its way. `key` keeps a photo that is sent again from being stored twice. */
export interface Upload {
  key: string;
  place: number;
  file: File;
  /** the address of the file in this page */
  picture: string;
  state: 'waiting' | 'sending' | 'failed';
  /** of it that was sent, 0 to 1 */
  share: number;
  fault?: string;
}

/** What waits to be sent. */
export interface Waiting {
  readonly key: string;
  readonly user: number;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly label: string;
  readonly at: number;
  readonly place?: string | undefined;
  /** Of a rating: the one that it replaces, null where it is the first. */
  readonly before?: Pick<Rating, 'food_rating' | 'service_rating' | 'ambiance_rating'> | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The parts of a form, which has no `body`. */
  readonly form?: readonly (readonly [string, string | File])[];
  /** `old`: it is sent when the user says so. */
  readonly state: 'waiting' | 'refused' | 'old';
  readonly reason?: string;
}

export interface State {
  route: Route;
  /** `user` is undefined until it is known whether there is one; a guess is the last one, until the service has said. */
  session: { user: User | null | undefined; isGuess?: true };
  config: AppConfig | undefined;
  data: Record<string, Entry>;
  /** Each place is one object, which all answers share. */
  places: Map<number, Restaurant>;
  /** Where an address without filters begins, as the document said. */
  start: { bbox?: string; sort?: string };
  drafts: Record<string, unknown>;
  outbox: readonly Waiting[];
  online: boolean;
  ui: Ui;
}

/** What screens remember; each under a name of its own. */
export interface Ui {
  toast?: Toast | undefined;
  dialog?: Dialog | undefined;
  reload?: (() => void) | undefined;

  // Other screens
  /** What Explore showed last, the zooms of the areas that the map was moved to, and the categories among its chips. */
  listed?: { rows: Restaurant[]; total: number; hasMore: boolean; head: string } | undefined;
  zooms?: Readonly<Record<string, number>>;
  pages?: Readonly<Record<string, number>>;
  chipped?: readonly number[];
  pending?: number | undefined;
  /** The area that the map of Explore showed last, as parameters of an address, and where the reader is. */
  area?: string | undefined;
  me?: (Position & { readonly accuracy: number }) | undefined;
  /** What others changed, newest last. */
  news?: readonly News[];
  /** Of a list: the place whose note is written, and where one is being moved to. */
  noting?: number | undefined;
  moving?:
    { readonly url: string; readonly id: number; readonly name: string; readonly to: number } | undefined;
  /** What is wrong in the form of a list. */
  faults?: Readonly<Record<string, string>>;
  /** Whether a list shows its tools. */
  ordering?: boolean | undefined;
  place?: PlaceUi | undefined;
  inbox?: InboxUi | undefined;
  /** Of the form of a visit: for how many dishes there is room, and what is wrong. */
  writing?: { readonly dishes: number; readonly faults: Readonly<Record<string, string>> } | undefined;
  /** What is searched for the place of a new visit. */
  visited?: string;

  // Settings, import and sign-in
  /** the secret of the link that was followed */
  secret?: string | undefined;
  invitation?: { secret: string; found?: InvitationCheck; fault?: Fault } | undefined;
  /** the new token, invitation and link for a password, which are shown once */
  token?: { name: string; text: string } | undefined;
  invited?: { name: string; text: string } | undefined;
  link?: { text: string; until: string } | undefined;
  import?: Import | undefined;
  install?: (() => void) | undefined;
  /** Of a place: the photo in sight on a phone, photos on their way, and the changes of those stored meanwhile. */
  strip?: number | undefined;
  uploads?: readonly Upload[];
  added?: readonly string[];
  newListFaults?: Readonly<Record<string, string>> | undefined;
  /** how many writes of an account wait here that is not signed in */
  unsentOfOther?: number;
  forms?:
    | Readonly<
        Record<string, { values: Record<string, string>; faults: Record<string, string>; isBusy: boolean }>
      >
    | undefined;
  follow?: boolean;
  mapFailed?: boolean | undefined;
}

/** A change by others, as the stream tells of it. */
export type News = Pick<Change, 'id' | 'kind' | 'action' | 'actor' | 'write_id'>;

/** Of the form of a place. `here`: the addresses of places like it, `asked`: of what the maps provider finds. */
export interface PlaceUi {
  readonly faults?: Readonly<Record<string, string>>;
  readonly here?: readonly string[];
  readonly asked?: string | undefined;
  readonly isSending?: boolean;
  readonly isPicking?: boolean;
  readonly notLocated?: boolean;
}

/**
 * Of the inbox. `landed`: the suggestion on which the person stays; `picked` are
 * selected, `decided` have left the list of this name.
 */
export interface InboxUi {
  readonly landed?: number | undefined;
  readonly picked?: readonly number[];
  readonly decided?: Readonly<Record<number, string>>;
}

/** A place that the maps provider found. */
export interface Found {
  readonly place_id: string;
  readonly name: string;
  readonly address: string | null;
}

/** Lists, visits and the log of changes. */
export interface ListItem {
  readonly restaurant: Restaurant;
  readonly position: number;
  readonly note: string | null;
}
export interface Dish {
  readonly name: string;
  readonly stars: number | null;
  readonly price_minor: number | null;
  readonly note: string | null;
  readonly again: boolean | null;
}
export interface Visit {
  readonly id: number;
  readonly restaurant_id: number | null;
  /** Without an id it was deleted. */
  readonly restaurant: Restaurant | { readonly id: null; readonly name: string };
  readonly visited_on: string;
  readonly note: string | null;
  readonly companions: readonly string[];
  readonly total_minor: number | null;
  readonly currency: string | null;
  readonly dishes: readonly Dish[];
}
/** What a change holds of an entity, as far as the app reads it. */
export interface Logged {
  readonly [name: string]: unknown;
  readonly status?: string;
  readonly restaurant_id?: number;
  readonly items?: readonly unknown[];
  readonly ratings?: readonly { readonly author_id: number | null }[];
  readonly ratings_total?: number;
  readonly photos?: readonly { readonly author_id: number | null }[];
  readonly photos_total?: number;
}
export interface Change {
  readonly id: number;
  readonly at: string;
  readonly kind:
    'restaurant' | 'category' | 'food_type' | 'suggestion' | 'rating' | 'photo' | 'list' | 'visit';
  readonly entity_id: number;
  readonly action: 'create' | 'update' | 'delete' | 'restore';
  readonly name: string;
  readonly fields: readonly string[];
  readonly before: Logged | null;
  readonly after: Logged | null;
  readonly actor: Author | null;
  readonly write_id: number;
  readonly batch_id: number | null;
  readonly reverts: number | null;
  readonly reverted_by: number | null;
  readonly kept_until: string | null;
  /** Of a deletion that was purged. */
  readonly purged?: { readonly at: string; readonly by: Author | null } | null;
}
/** A page of the log in which an import is one change, and these imports. */
export interface ChangePage {
  readonly data: readonly Change[];
  readonly batches?: readonly (Batch & { readonly places: number })[];
  readonly next: string | null;
  readonly has_more: boolean;
}

/** Answers that the sign-in, the settings and the import read. */
export interface Session {
  readonly id: number;
  readonly current: boolean;
  readonly ip_address: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_used_at: string;
}
export interface ApiToken extends Named {
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}
export interface Account extends User {
  readonly is_active: boolean;
  readonly sessions: number;
  readonly has_password: boolean;
}
export interface Invitation {
  readonly id: number;
  readonly email: string | null;
  readonly note: string | null;
  readonly expires_at: string;
  readonly used_at: string | null;
  readonly used_by: Author | null;
}
/** What those who were invited may know. */
export interface InvitationCheck {
  readonly email: string | null;
  readonly invited_by: string | null;
}
export interface Batch {
  readonly id: number;
  readonly at: string;
  readonly file: string | null;
  readonly actor: Author | null;
  readonly changes: number;
  readonly reverts: number | null;
  readonly reverted_by: number | null;
}
/** What an import did, or would do. */
export interface ImportResult {
  readonly batch_id: number | null;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly ignored: readonly string[];
  readonly faults: readonly {
    readonly line: number;
    readonly name: string | null;
    readonly reason: string;
  }[];
}
/** An import on its way: looked at, then written. `share` is how much of it is done, from 0 to 1. */
export interface Import {
  readonly file: File;
  readonly phase: 'checking' | 'checked' | 'adding' | 'done';
  readonly share?: number;
  readonly rows?: number | undefined;
  readonly result?: ImportResult;
  readonly fault?: Fault;
}
/** Of Add and Suggestions. */
export interface Suggestion extends Named {
  readonly address: string | null;
  readonly phone: string | null;
  readonly website: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly category: Named | null;
  readonly food_types: readonly Named[];
  readonly notes: string | null;
  readonly status: 'pending' | 'approved' | 'tested' | 'rejected' | 'converted';
  readonly restaurant_id: number | null;
  readonly author: Author | null;
  readonly created_at: string;
}

/** West, south, east and north in degrees; `w` greater than `e` crosses the antimeridian. */
export interface Box {
  readonly w: number;
  readonly s: number;
  readonly e: number;
  readonly n: number;
}
export interface Position {
  readonly lat: number;
  readonly lng: number;
}
