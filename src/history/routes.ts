import { type Principal, type RequestContext, idInPath } from '../http/context.ts';
import { HttpError, badRequest, notFound, requireFound, requireValid } from '../http/errors.ts';
import { jsonPieces } from '../http/list-replies.ts';
import { type Reply, stream } from '../http/reply.ts';
import { FOR_USER, type Route } from '../http/router.ts';
import type { Sealer } from '../kit/input/sealed.ts';
import type { Transactions } from '../storage/transaction.ts';
import {
  type LogOrder,
  type LogPosition,
  openLogPosition,
  logPositionOf,
  sealLogPosition,
} from './cursor.ts';
import { type EventReader, serverSentEvent } from './events.ts';
import { parseChangeQuery, parseHistoryQuery, parseStreamQuery } from './input.ts';
import { type ChangeRow, type Viewer, batchHeadJson, hidesAuthors } from './record.ts';
import type { History } from './history.ts';
import type { ChangeFilters, LogPart } from './store.ts';
import type { ChangeStreams } from './stream.ts';

/** The parts of the change log that its routes share. */
export interface ChangeParts {
  readonly history: History;
  readonly transactions: Pick<Transactions, 'write'>;
  /** Seals the cursors. */
  readonly sealer: Sealer;
  readonly streams: ChangeStreams;
  readonly events: EventReader;
  /** Whether people other than administrators see who made a change. */
  readonly showsAuthors: boolean;
  /** WRITE_ACCESS=admins */
  readonly adminsOnly: boolean;
  /** Opened again by the thread that undoes a batch. */
  readonly dataFolder: string;
  readonly trashDays: number;
  /** Called after each revert: files may be due, categories may be gone. */
  readonly reverted: () => void;
  /** Called after each purge: also, the write-ahead log still holds the removed data. */
  readonly purged: () => void;
}

const START = 'start';
// A page ends with the change that reaches it.
const PAGE_BYTES = 1_000_000;
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  // nginx would hold events back.
  'X-Accel-Buffering': 'no',
};

/** The caller as a viewer of changes. */
export function viewerOf(principal: Principal | undefined, showsAuthors: boolean): Viewer {
  return { userId: principal?.userId ?? null, isAdmin: principal?.isAdmin === true, showsAuthors };
}

/** `/api/changes`, its stream, and a restaurant's history. */
export function changeRoutes(parts: ChangeParts): readonly Route[] {
  const { sealer, streams, events, showsAuthors } = parts;
  const { store } = parts.history;
  const read = { ...FOR_USER, method: 'GET', body: 'none' } as const;
  // Streams follow the commits of this process. Every page of the app opens one, which must not use up the caller's limit.
  const streamed = { ...read, needsPrimary: true, limit: 'files', isUncounted: true } as const;
  const one = '/api/changes/:id';
  const ofRestaurant = '/api/restaurants/:id/history';
  return [
    { ...read, pattern: '/api/changes', operationId: 'listChanges', handle: list },
    { ...streamed, pattern: '/api/changes/stream', operationId: 'streamChanges', handle: follow },
    { ...read, pattern: one, operationId: 'getChange', handle: getChange },
    { ...read, pattern: ofRestaurant, operationId: 'getRestaurantHistory', handle: history },
  ];

  function list(context: RequestContext): Promise<Reply> {
    const { query, principal } = context;
    const asked = requireValid(parseChangeQuery(query, principal?.userId ?? 0), context);
    const { order, since, limit } = asked;
    const viewer = viewerOf(principal, showsAuthors);
    const { userId } = viewer;
    const place = placeIn(order, since, userId);
    // Clients read everything first and follow from there.
    const isAtEnd = order === 'oldest' && !place;
    const part = isAtEnd
      ? { rows: [], next: store.end(userId), hasMore: false }
      : store.read(order, place, limit, answerable(asked.filters, viewer), userId);
    return page(context, viewer, part, order, asked.filters.collapsed);
  }

  function history(context: RequestContext): Promise<Reply> {
    const { query, parameters, principal } = context;
    const id = idInPath(parameters, 'id', 'restaurant');
    const { order, since, limit } = requireValid(parseHistoryQuery(query), context);
    const viewer = viewerOf(principal, showsAuthors);
    const part = store.history(id, placeIn(order, since, viewer.userId), limit);
    return page(context, viewer, requireFound(part, 'Restaurant'), order);
  }

  function getChange(context: RequestContext): Promise<Reply> {
    const { parameters, principal } = context;
    const row = store.get(idInPath(parameters, 'id', 'change'));
    if (!row || !store.isReadable(row, principal?.userId ?? null)) throw notFound('Change');
    return jsonPieces(context, store.piecesFor(row, viewerOf(principal, showsAuthors)));
  }

  /**
   * A page of a part of the log: up to about a megabyte, including what was deleted with restaurants and lists. Where batches
   * are collapsed, those of the page follow its changes.
   */
  function page(
    context: RequestContext,
    viewer: Viewer,
    part: LogPart,
    order: LogOrder,
    collapsed = false,
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
      const next = isCut ? logPositionOf(last) : part.next;
      const hasMore = isCut || part.hasMore;
      const isEnd = order === 'newest' && !hasMore;
      const rest = JSON.stringify({
        next: isEnd ? null : sealLogPosition(sealer, order, next),
        has_more: hasMore,
      });
      const heads = collapsed ? `"batches":${headsText(part.rows.slice(0, read), viewer)},` : '';
      yield `],${heads}${rest.slice(1)}`;
    }
    return jsonPieces(context, pieces());
  }

  function headsText(rows: readonly ChangeRow[], viewer: Viewer): string {
    const heads = rows.map(({ batch_id: id }) =>
      id === null ? undefined : store.batchHead(id, viewer.userId),
    );
    return JSON.stringify(
      heads.filter((head) => head !== undefined).map((head) => batchHeadJson(head, viewer)),
    );
  }

  /** The place of a cursor, if any. Throws 400 for any other text, 410 when the log does not go back so far. */
  function placeIn(
    order: LogOrder,
    since: string | undefined,
    readerId: number | null,
  ): LogPosition | undefined {
    if (since === undefined) return undefined;
    if (since === START && order === 'oldest') return store.start(readerId);
    const place = openLogPosition(sealer, order, since);
    if (!place) throw badRequest('Invalid cursor');
    if (store.isStored(place, readerId)) return place;
    throw new HttpError(410, 'Changes behind this cursor are not kept', {
      Link: '</api/restaurants>; rel="alternate"',
    });
  }

  function follow(context: RequestContext): Reply {
    const { query, principal, request, method, work } = context;
    const { filters, since } = requireValid(parseStreamQuery(query, principal?.userId ?? 0), context);
    const last = request.headers['last-event-id'];
    const cursor = typeof last === 'string' && last !== '' ? last : since;
    const readerId = principal?.userId ?? null;
    const place = placeIn('oldest', cursor, readerId) ?? store.end(readerId);
    if (!principal || method === 'HEAD') return { status: 200, headers: STREAM_HEADERS, kind: 'empty' };
    const opened = streams.open(context, principal);

    return stream(200, STREAM_HEADERS, async function* () {
      let at = place.id;
      let sentAt = performance.now();
      try {
        yield serverSentEvent('ready', sealLogPosition(sealer, 'oldest', place), '{}');
        for (let caller = opened.caller(); caller; caller = opened.caller()) {
          const viewer = viewerOf(caller, showsAuthors);
          // Changes after this place were removed meanwhile; the next connection receives 410.
          if (at < store.start(viewer.userId).id) return;
          const { text, upTo, hasMore } = events.read(at, answerable(filters, viewer), viewer);
          at = upTo;
          if (text !== '') {
            yield text;
            sentAt = performance.now();
          }
          opened.read(at);
          if (!hasMore && (await opened.wait(at, sentAt)) === 'silence') {
            yield ':\n\n';
            sentAt = performance.now();
          }
          // Streams are woken together: they take turns with each other and with all other requests.
          else await work.pause();
        }
      } catch (error) {
        // The caller's rights have ended, and so does the stream.
        if (!(error instanceof HttpError)) throw error;
      } finally {
        opened.close();
      }
    });
  }
}

/** Where authors are hidden, a filter by author must not reveal them. */
function answerable(filters: ChangeFilters, viewer: Viewer): ChangeFilters {
  if (filters.actor_id === undefined || !hidesAuthors(viewer)) return filters;
  return { ...filters, actor_id: filters.actor_id.filter((id) => id === viewer.userId) };
}
