import { OWN } from '../http/conditional.ts';
import { type Principal, type RequestContext, idInPath } from '../http/context.ts';
import { HttpError, badRequest, notFound, requireValid } from '../http/errors.ts';
import { type Reply, stream } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { jsonPieces } from '../http/list-replies.ts';
import { type ChangeCursors, type Order, type Place, placeOf } from './cursor.ts';
import { type ReadEvents, eventText } from './events.ts';
import { parseChangeQuery, parseHistoryQuery, parseStreamQuery } from './input.ts';
import { type Viewer, hidesAuthors, isReadable } from './record.ts';
import type { ChangeFilters, ChangeStore, Part } from './store.ts';
import type { ChangeStreams } from './stream.ts';

export interface ChangeRouteOptions {
  readonly store: ChangeStore;
  readonly cursors: ChangeCursors;
  readonly streams: ChangeStreams;
  readonly readEvents: ReadEvents;
  /** Whether people other than administrators see who made a change. */
  readonly showsAuthors: boolean;
}

const START = 'start';
// A page ends with the change that reaches it.
const PAGE_BYTES = 1_000_000;
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // nginx would hold events back.
  'X-Accel-Buffering': 'no',
};

/** `/api/changes`, its stream, and a restaurant's history. */
export function changeRoutes(options: ChangeRouteOptions): readonly Route[] {
  const read = (pattern: string, operationId: string, handle: Handler): Route => ({
    ...{ method: 'GET', access: 'user', body: 'none', limit: 'api', pattern, operationId },
    handle: (context) => handle(context, options),
  });
  return [
    read('/api/changes', 'listChanges', list),
    read('/api/changes/stream', 'streamChanges', follow),
    read('/api/changes/:id', 'getChange', getChange),
    read('/api/restaurants/:id/history', 'getRestaurantHistory', history),
  ];
}

type Handler = (context: RequestContext, options: ChangeRouteOptions) => Reply | Promise<Reply>;

/** The viewer that a caller is. */
export function viewerOf(principal: Principal | undefined, showsAuthors: boolean): Viewer {
  return { userId: principal?.userId ?? null, isAdmin: principal?.isAdmin === true, showsAuthors };
}

function list(context: RequestContext, options: ChangeRouteOptions): Promise<Reply> {
  const { query, principal } = context;
  const { store, showsAuthors } = options;
  const { order, since, limit, ...asked } = requireValid(
    parseChangeQuery(query, principal?.userId ?? 0),
    context,
  );
  const viewer = viewerOf(principal, showsAuthors);
  const filters = answerable(asked.filters, viewer);
  const place = since === undefined ? undefined : placeIn(order, since, viewer.userId, options);
  if (order === 'newest')
    return page(store.before(place, limit, filters, viewer.userId), viewer, order, context, options);
  // Without a place: the end of the log, from which a client follows once it has read everything else.
  const part = place
    ? store.after(place, limit, filters, viewer.userId)
    : { rows: [], next: store.end(viewer.userId), hasMore: false };
  return page(part, viewer, order, context, options);
}

/** The filters that may be answered: where authors are hidden, a filter by author must not reveal them. */
function answerable(filters: ChangeFilters, viewer: Viewer): ChangeFilters {
  if (filters.actors === undefined || !hidesAuthors(viewer)) return filters;
  return { ...filters, actors: filters.actors.filter((id) => id === viewer.userId) };
}

function history(context: RequestContext, options: ChangeRouteOptions): Promise<Reply> {
  const { query, parameters, principal } = context;
  const { store, showsAuthors } = options;
  const id = idInPath(parameters, 'id', 'restaurant');
  const { order, since, limit } = requireValid(parseHistoryQuery(query), context);
  const viewer = viewerOf(principal, showsAuthors);
  const place = since === undefined ? undefined : placeIn(order, since, viewer.userId, options);
  const part = store.history(id, place, limit);
  if (!part) throw notFound('Restaurant');
  return page(part, viewer, order, context, options);
}

function getChange(context: RequestContext, options: ChangeRouteOptions): Promise<Reply> {
  const { parameters, principal } = context;
  const row = options.store.get(idInPath(parameters, 'id', 'change'));
  if (!row || !isReadable(row, principal?.userId ?? null)) throw notFound('Change');
  const viewer = viewerOf(principal, options.showsAuthors);
  return jsonPieces(context, options.store.piecesFor(row, viewer), OWN);
}

/** A page of a part of the log: as much of it as has about a megabyte, with what went with deleted restaurants and lists. */
function page(
  part: Part,
  viewer: Viewer,
  order: Order,
  context: RequestContext,
  { store, cursors }: ChangeRouteOptions,
): Promise<Reply> {
  function* pieces(): Generator<string> {
    yield '{"data":[';
    let [read, bytes] = [0, 0];
    for (const row of part.rows) {
      if (bytes >= PAGE_BYTES) break;
      if (read > 0) yield ',';
      for (const piece of store.piecesFor(row, viewer)) {
        bytes += Buffer.byteLength(piece);
        yield piece;
      }
      read += 1;
    }
    const last = part.rows[read - 1];
    const isCut = last !== undefined && read < part.rows.length;
    const next = isCut ? placeOf(last) : part.next;
    const hasMore = isCut || part.hasMore;
    const isEnd = order === 'newest' && !hasMore;
    const rest = JSON.stringify({ next: isEnd ? null : cursors.seal(order, next), has_more: hasMore });
    yield `],${rest.slice(1)}`;
  }
  return jsonPieces(context, pieces(), OWN);
}

/** The place of a cursor. Throws 400 for text that is none, 410 when the log does not go back so far. */
function placeIn(
  order: Order,
  since: string,
  readerId: number | null,
  { store, cursors }: ChangeRouteOptions,
): Place {
  if (since === START && order === 'oldest') return store.start(readerId);
  const place = cursors.open(order, since);
  if (!place) throw badRequest('Invalid cursor');
  if (!store.isStored(place, readerId))
    throw new HttpError(410, 'Changes behind this cursor are not kept', {
      Link: '</api/restaurants>; rel="alternate"',
    });
  return place;
}

function follow(context: RequestContext, options: ChangeRouteOptions): Reply {
  const { query, principal, request, method, work } = context;
  const { store, cursors, readEvents, showsAuthors } = options;
  const { filters, since } = requireValid(parseStreamQuery(query, principal?.userId ?? 0), context);
  const last = request.headers['last-event-id'];
  const cursor = typeof last === 'string' && last !== '' ? last : since;
  const readerId = principal?.userId ?? null;
  const place = cursor === undefined ? store.end(readerId) : placeIn('oldest', cursor, readerId, options);
  if (!principal || method === 'HEAD') return { status: 200, headers: STREAM_HEADERS, kind: 'empty' };
  const opened = options.streams.open(context, principal);
  return stream(200, STREAM_HEADERS, async function* () {
    try {
      yield eventText('ready', cursors.seal('oldest', place), '{}');
      yield* changesFrom(place.id, filters);
    } catch (error) {
      // The caller's rights have ended, and so does the stream.
      if (!(error instanceof HttpError)) throw error;
    } finally {
      opened.close();
    }
  });

  async function* changesFrom(from: number, wanted: ChangeFilters): AsyncGenerator<string> {
    let at = from;
    let sentAt = performance.now();
    for (let caller = opened.caller(); caller; caller = opened.caller()) {
      const viewer = viewerOf(caller, showsAuthors);
      // Changes behind this place were removed meanwhile; the next connection is refused with 410.
      if (at < store.start(viewer.userId).id) return;
      const { text, upTo, hasMore } = readEvents(at, answerable(wanted, viewer), viewer);
      at = upTo;
      if (text !== '') {
        yield text;
        sentAt = performance.now();
      }
      opened.read(at);
      if (hasMore) await work.pause();
      else if ((await opened.wait(at, sentAt)) === 'silence') {
        yield ':\n\n';
        sentAt = performance.now();
      }
      // Streams are woken together: they take turns with each other and with all other requests.
      else await work.pause();
    }
  }
}
