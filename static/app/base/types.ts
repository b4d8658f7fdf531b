import type { TemplateResult } from 'lit-html';

/**
 * Takes what the service, a stored copy or this browser's storage holds for what its description says that it is: the
 * one place where the app believes instead of looking.
 */
// eslint-disable-next-line @typescript-eslint/consistent-type-assertions, @typescript-eslint/no-unnecessary-type-parameters
export const trust = <Value>(value: unknown): Value => value as Value;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Fields of one type, those that may be null, and those that may be missing. */
type Have<Names extends string, Type = string> = Readonly<Record<Names, Type>>;
type MayHave<Names extends string, Type = string> = Have<Names, Type | null>;
type Some<Fields> = { -readonly [Name in keyof Fields]?: Fields[Name] | undefined };

// Answers of the API as far as the app reads them; the description of the API says all.
export type Named = Have<'id', number> & Have<'name'>;
export type Author = Have<'id', number> & Have<'username'>;
export type User = Author & Have<'email' | 'provider'> & MayHave<'full_name'> & Have<'is_admin', boolean>;
export type Means = Have<'food' | 'service' | 'ambiance' | 'overall' | 'count', number>;
export type Opening = Have<'state', 'open' | 'closed' | 'unknown'> & MayHave<'until' | 'reason'>;
/** What the user has to do with a place. */
export interface Marks
  extends Have<'want' | 'favourite', boolean>, MayHave<'rating_id', number>, MayHave<'last_visited_on'> {
  readonly lists: readonly number[];
  readonly visits: number;
}
export interface Restaurant
  extends
    Named,
    MayHave<'description' | 'address' | 'phone' | 'website' | 'opening_hours' | 'time_zone'>,
    MayHave<'google_place_id'>,
    MayHave<'latitude' | 'longitude' | 'price_level', number> {
  readonly diets: MayHave<string>;
  readonly external_ids: MayHave<string>;
  readonly category: Named | null;
  readonly food_types: readonly Named[];
  readonly avg_rating: Means;
  readonly is_suggestion: boolean;
  readonly status: string;
  readonly opening?: Opening;
  readonly cover?: Have<'thumbnail_url'> | null;
  /** Kilometres from `lat` and `lng` of the request. */
  readonly distance?: number;
}
/** What people wrote about a place. */
type Written = Have<'id' | 'restaurant_id', number> & MayHave<'author', Author> & Have<'created_at'>;
export type Stars = Have<'food_rating' | 'service_rating' | 'ambiance_rating', number>;
export type Rating = Written & Stars & MayHave<'comment'>;
export type Photo = Written &
  Have<'width' | 'height', number> &
  Have<'url'> &
  MayHave<'caption' | 'thumbnail_url'>;
export interface List extends Named, MayHave<'description'>, MayHave<'owner', Author> {
  readonly kind: 'want' | 'favourites' | 'own';
  readonly role: 'owner' | 'member';
  readonly item_count: number;
  /** Its owner among them. */
  readonly member_count: number;
}
export type ListItem = Have<'restaurant', Restaurant> &
  Have<'position', number> &
  MayHave<'note'> &
  MayHave<'added_by', Author>;
export type ListWithItems = List & Have<'items', readonly ListItem[]>;
export type Member = Have<'user', Author> & Have<'role', List['role']>;
export type Link = Have<'id', number> &
  Have<'access', 'read' | 'join'> &
  Have<'notes', boolean> &
  Have<'created_at'>;
/** A list as its link shows it. */
export type SharedList = Pick<Link, 'access'> &
  Have<'list', Pick<List, 'name' | 'description' | 'item_count'>> &
  Have<'items', readonly (Have<'restaurant', Restaurant> & Some<MayHave<'note'>>)[]>;
type Reason =
  | (Have<'kind', 'open'> & MayHave<'until'>)
  | Have<'kind', 'hours_unknown'>
  | (Have<'kind', 'list'> & Have<'name'>)
  | (Have<'kind', 'rated'> & Have<'overall' | 'count', number>);
/** `out`: why it cannot win; the sums are null until the caller has voted. */
export interface Option extends Named, MayHave<'yes' | 'ok' | 'no' | 'veto', number> {
  readonly restaurant: Restaurant | null;
  readonly reasons: readonly Reason[];
  readonly out: 'deleted' | 'closed' | null;
}
/** By the ids of options. */
export interface Ballot extends Have<'coming', boolean>, MayHave<'veto', number> {
  readonly choices: Readonly<Record<string, 'yes' | 'ok' | 'no' | undefined>>;
}
export interface Outing
  extends Have<'id', number>, Have<'at' | 'closes_at' | 'url'>, MayHave<'title'>, MayHave<'winner', number> {
  readonly state: 'open' | 'decided' | 'cancelled';
  readonly outcome: 'votes' | 'tie_rating' | 'tie_order' | 'nothing_left' | 'no_votes' | null;
  readonly created_by: Author | null;
  readonly options: readonly Option[];
  readonly participants: readonly (Have<'id', number> &
    Have<'name'> &
    Have<'is_guest' | 'has_voted', boolean> &
    MayHave<'coming', boolean>)[];
  readonly ballot: Ballot | null;
}
export type SharedOuting = Have<'kind', 'outing'> & Have<'outing', Outing>;
export interface Page<Item> extends MayHave<'next_cursor'> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly total: number;
}
/** Two places that look like the same one, and why. */
export interface Match extends Have<'certain', boolean>, MayHave<'distance_m', number> {
  readonly reasons: readonly ('phone' | 'name' | 'address' | 'website' | 'near')[];
}
export type Similar = Match & Have<'restaurant', Restaurant>;
export type Pair = Match & Have<'a' | 'b', Restaurant>;
export type PairPage = Page<Pair> & Have<'searching', boolean>;
export interface AppConfig extends Have<'name'>, Have<'trash_days' | 'max_body_bytes', number> {
  readonly auth_mode: 'none' | 'local' | 'oauth' | 'both';
  readonly registration: 'open' | 'invite' | 'closed';
  readonly write_access: 'users' | 'admins';
  readonly providers: readonly string[];
  readonly read_only: boolean;
  readonly maps: Have<'provider'> & MayHave<'attribution'>;
  /** `offer`: tiles of another server, for readers who ask for them. */
  readonly tiles: Have<'kind', 'none' | 'pmtiles' | 'raster'> &
    MayHave<'url' | 'attribution'> &
    MayHave<'offer', Have<'url' | 'attribution'>>;
}
/** A place that the maps provider found. */
export type Found = Have<'place_id' | 'name'> & MayHave<'address'>;
export type Dish = Have<'name'> &
  MayHave<'stars' | 'price_minor', number> &
  MayHave<'note'> &
  MayHave<'again', boolean>;
export interface Visit
  extends Have<'id', number>, MayHave<'total_minor', number>, MayHave<'note' | 'currency'> {
  /** Without an id it was deleted. */
  readonly restaurant: Restaurant | (Have<'id', null> & Have<'name'>);
  readonly visited_on: string;
  readonly companions: readonly string[];
  readonly dishes: readonly Dish[];
}
/** What a change holds of an entity. */
export interface Logged {
  readonly [name: string]: unknown;
  readonly status?: string;
  readonly restaurant_id?: number;
  /** Of a deletion: the place that the deleted one was merged into. */
  readonly merged_into?: number;
  readonly items?: readonly unknown[];
  readonly ratings?: readonly MayHave<'author_id', number>[];
  readonly ratings_total?: number;
  readonly photos?: readonly MayHave<'author_id', number>[];
  readonly photos_total?: number;
}
/** What was written at once, and what undid it or was undone by it. */
type Done = Have<'id', number> &
  Have<'at'> &
  MayHave<'actor', Author> &
  MayHave<'reverts' | 'reverted_by', number>;
export type Batch = Done & Have<'changes', number> & MayHave<'file'>;
export interface Change
  extends
    Done,
    Have<'entity_id' | 'write_id', number>,
    MayHave<'batch_id', number>,
    MayHave<'before' | 'after', Logged>,
    MayHave<'kept_until'> {
  readonly name: string;
  readonly kind:
    'restaurant' | 'category' | 'food_type' | 'suggestion' | 'rating' | 'photo' | 'list' | 'visit';
  readonly action: 'create' | 'update' | 'delete' | 'restore';
  readonly fields: readonly string[];
  /** Of a deletion that was purged. */
  readonly purged?: (Have<'at'> & MayHave<'by', Author>) | null;
}
/** A page of the log in which an import is one change, and these imports. */
export interface ChangePage extends Pick<Page<Change>, 'data'>, MayHave<'next'> {
  readonly batches?: readonly (Batch & Have<'places', number>)[];
}
export type Session = Have<'id', number> &
  Have<'current', boolean> &
  Have<'ip_address' | 'user_agent' | 'created_at' | 'last_used_at'>;
export type ApiToken = Named & MayHave<'expires_at' | 'last_used_at'>;
export type Feed = Have<'id', number> & Have<'kind', 'visits' | 'changes' | 'outings'> & Have<'created_at'>;
export type Account = User & Have<'is_active' | 'has_password', boolean> & Have<'sessions', number>;
export type Invitation = Have<'id', number> &
  Have<'expires_at'> &
  MayHave<'email' | 'note' | 'used_at'> &
  MayHave<'used_by', Author>;
export type InvitationCheck = MayHave<'email' | 'invited_by'>;
/** A value of a file that was left out, or read by a guess. */
export type Noted = Have<'field' | 'reason' | 'example'> & Have<'count' | 'line', number>;
type FilledList = Have<'name'> & MayHave<'id', number>;
export interface ImportResult
  extends
    Have<
      'created' | 'updated' | 'unchanged' | 'failed' | 'unknown_total' | 'notes_cut' | 'not_places',
      number
    >,
    Have<'dry_run', boolean>,
    Have<'read_as'>,
    Have<'left_out' | 'guessed', readonly Noted[]>,
    MayHave<'batch_id', number>,
    Some<Have<'duplicates', number>> {
  /** The files of an archive. */
  readonly files: readonly (Have<'name'> & MayHave<'read_as' | 'code' | 'reason'>)[];
  /** What the person must answer before anything is stored. */
  readonly needs: readonly (keyof ImportAnswers)[];
  readonly encoding:
    | (Have<'used'> & Have<'choices', readonly (Have<'encoding'> & Have<'examples', readonly string[]>)[]>)
    | null;
  readonly swapped: (Have<'count' | 'line', number> & Have<'example'>) | null;
  readonly taken: readonly Have<'name' | 'field'>[];
  readonly ignored: readonly (Have<'name' | 'example'> & Have<'count', number>)[];
  /** The lists of the user that saved places go on, which may not exist yet, and the first of them. */
  readonly lists: readonly FilledList[];
  readonly list: FilledList | null;
  /** The first places that the user may not add. */
  readonly unknown: readonly Have<'name'>[];
  readonly faults: readonly (Have<'line', number> & MayHave<'name'> & Have<'code' | 'reason'>)[];
}
/** What a person says of a file, as fields of the form. */
export type ImportAnswers = Some<Have<'encoding' | 'swap_coordinates' | 'list'>>;
export interface Suggestion
  extends
    Pick<Restaurant, 'id' | 'name' | 'address' | 'phone' | 'website' | 'latitude' | 'longitude'>,
    Pick<Restaurant, 'category' | 'food_types'>,
    Pick<Written, 'author' | 'created_at'>,
    MayHave<'notes'>,
    MayHave<'restaurant_id', number> {
  readonly status: 'pending' | 'approved' | 'tested' | 'rejected' | 'converted';
}

/** Why a request failed: `status` 0 is no network or no answer in time; `instead` is where the place is that was asked for. */
export type Fault = Have<'status', number> &
  Have<'message'> &
  MayHave<'requestId'> &
  MayHave<'retryAfter', number> &
  Some<Have<'instead' | 'code'>>;

/** One answer of the API that a screen reads; `at` is when it was got, in milliseconds. */
export interface Entry extends Some<{ etag: string | null; at: number; fault: Fault }> {
  /** `stale`: shown, but asked for again; `offline`: the last copy; `busy`: the service has too much to do just now. */
  state: 'loading' | 'ok' | 'stale' | 'busy' | 'offline' | 'failed';
  body?: unknown;
}

export interface Route extends Have<'path' | 'pattern' | 'hash'>, Have<'params' | 'query', Have<string>> {
  /** Undefined while its module is being loaded, and for paths that no screen has. */
  view?: View;
  failed?: boolean;
}

/**
 * A page of the app: `tab` is the entry of the navigation that is current there, `whole` fills the window, `secret` has an
 * address that opens something.
 */
export interface RouteRow extends Have<'pattern' | 'tab'>, Some<Have<'whole' | 'secret', true>> {
  readonly view: () => Promise<View>;
}

/** What the module of a screen exports; `keys` says what single keys do there, by `KeyboardEvent.key`. */
export interface View {
  /** Addresses below /api that it shows, with their queries; at most four. Called again after every change of the state. */
  readonly needs?: (state: State) => readonly string[];
  readonly view: (state: State) => TemplateResult;
  readonly title: (state: State) => string;
  readonly keys?: Have<string, (state: State) => void>;
  readonly enter?: (state: State) => void;
  readonly leave?: (state: State) => void;
}

/** With `isUndo` it undid something, so that its own undo is a redo. */
export interface Toast extends Have<'text'> {
  readonly kind?: 'fault';
  readonly undo?: (() => unknown) | undefined;
  readonly isUndo?: boolean;
  readonly action?: (Have<'text'> & Have<'run', () => void>) | undefined;
}

/** `label` is its title, too. */
export interface Dialog extends Pick<View, 'needs'>, Have<'label'> {
  readonly body: (state: State) => TemplateResult;
  readonly close?: () => void;
}

/** A write on its way; requests of one place are sent in order. */
export interface Sending extends Have<'key' | 'method' | 'path'> {
  readonly body?: unknown;
  readonly place?: string | undefined;
  /** Of a rating: the one that it replaces, null where it is the first. */
  readonly before?: Stars | null | undefined;
}

export interface Waiting extends Sending, Have<'label'>, Have<'user' | 'at', number> {
  /** The parts of a form, which has no `body`. */
  readonly form?: readonly (readonly [string, string | File])[];
  /** `old`: it is sent when the user says so. */
  readonly state: 'waiting' | 'refused' | 'old';
  /** The status of the answer that refused it, whose message is the reason. */
  readonly status?: number;
  readonly reason?: string;
}

/**
 * A photo on its way: `picture` is the address of the file in this page, `share` how much of it was sent, 0 to 1, `added`
 * what those chosen with it changed.
 */
export interface Upload extends Have<'key' | 'picture'>, Have<'place' | 'share', number>, Have<'file', File> {
  readonly added: string[];
  readonly state: 'waiting' | 'sending' | 'failed';
  readonly fault?: string;
  /** Another try cannot help. */
  readonly isFinal?: boolean;
}

/**
 * An import: looked at, as often as the person answers something else, then written. `share` is how much of it is done, from
 * 0 to 1; `asked` has what the file itself said before there were answers.
 */
export interface Import
  extends
    Have<'file', File>,
    Have<'answers', ImportAnswers>,
    Some<Have<'share' | 'rows', number>>,
    Some<Have<'isBusy', boolean>>,
    Some<{ result: ImportResult; fault: Fault; asked: Pick<ImportResult, 'encoding' | 'lists'> }> {
  readonly phase: 'checking' | 'adding';
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
  sending: readonly Sending[];
  online: boolean;
  ui: Ui;
}

/**
 * Something that was made with a secret; `message` is what one says with a link, and `code` its QR code: its width, and its
 * dark squares as an SVG path.
 */
export interface Made extends Have<'path' | 'name' | 'text' | 'end'>, Some<Have<'message'>> {
  readonly code?: Have<'size', number> & Have<'path'>;
}

/** What a new password has not ended. */
export type StillValid = Have<'api_tokens' | 'feeds' | 'links', number>;

/**
 * What screens remember. `pending` suggestions and writes `unsentOfOther` wait; the place of a visit is looked for as
 * `visited`; `secret` is that of the link that was followed.
 */
export type Ui = Some<UiValues>;
interface UiValues
  extends
    Have<'pending' | 'unsentOfOther', number>,
    Have<'area' | 'visited' | 'secret'>,
    Have<'follow' | 'mapFailed' | 'ordering', boolean>,
    Have<'zooms' | 'pages', Have<string, number>>,
    Have<'made', Made>,
    Have<'stillValid', StillValid>,
    Have<'reload' | 'install', () => void> {
  toast: Toast;
  dialog: Dialog;
  /** What others changed, newest last. */
  news: readonly Change[];
  listed: { rows: Restaurant[]; total: number; hasMore: boolean; head: string };
  chipped: readonly number[];
  me: Position & Have<'accuracy', number>;
  moving: Named & Have<'to', number>;
  /**
   * Of the form: the place that there is already, the addresses of those like it and of what the maps provider finds, and
   * whether the link led to many places.
   */
  place: Some<
    Have<'isPicking' | 'isMany', boolean> &
      Have<'asked' | 'here'> & { twin: Named & Have<'isSuggestion', boolean> }
  >;
  uploads: readonly Upload[];
  /** The suggestion on which the person stays, those selected, and those that left the list of a name. */
  inbox: Some<{ landed: number; picked: readonly number[]; decided: Readonly<Record<number, string>> }>;
  /** Whose values of the pair on the screen stay, and the pairs that were decided on, each with the place that goes. */
  pairs: Some<{
    chosen: Readonly<Record<string, number>>;
    decided: Readonly<Record<string, number | undefined>>;
  }>;
  /** What was chosen of the outing of a link and is not stored yet. */
  ballot: Ballot & Have<'url'>;
  invitation: Have<'secret'> & Some<{ found: InvitationCheck; fault: Fault }>;
  import: Import;
}

/** West, south, east and north in degrees; `w` greater than `e` crosses the antimeridian. */
export type Box = Have<'w' | 's' | 'e' | 'n', number>;
export type Position = Have<'lat' | 'lng', number>;
