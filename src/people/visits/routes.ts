import { type RequestContext, authorIdOf, idInPath, writerOf } from '../../http/context.ts';
import { badRequest, notFound, requireValid } from '../../http/errors.ts';
import { type Keys, type KeyCursors, pageReply } from '../../http/list-replies.ts';
import { type Reply, created, noContent, ok, withChange } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { propertiesOf } from '../../kit/objects.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import { visitFaults, parseNewVisit, parseVisitChange, parseVisitsQuery } from './input.ts';
import { type VisitRecord, visitJson } from './record.ts';
import type { VisitPlace, VisitStore } from './store.ts';
import { todayAt } from './zone.ts';

export interface VisitRouteOptions {
  readonly store: VisitStore;
  readonly changeLog: ChangeLog;
  readonly cursors: KeyCursors;
}

type Handler = (context: RequestContext, options: VisitRouteOptions) => Reply | Promise<Reply>;

/** `/api/visits`, for their owner alone. */
export function visitRoutes(options: VisitRouteOptions): readonly Route[] {
  const read = { method: 'GET', access: 'user', body: 'none', limit: 'api' } as const;
  const write = { access: 'user', body: 'json', limit: 'api' } as const;
  const [all, one] = ['/api/visits', '/api/visits/:id'];
  const bound =
    (handle: Handler): Route['handle'] =>
    (context) =>
      handle(context, options);
  return [
    { ...read, pattern: all, operationId: 'listVisits', handle: bound(list) },
    { ...write, method: 'POST', pattern: all, operationId: 'createVisit', handle: bound(create) },
    { ...read, pattern: one, operationId: 'getVisit', handle: bound(get) },
    { ...write, method: 'PUT', pattern: one, operationId: 'updateVisit', handle: bound(update) },
    {
      ...{ ...write, method: 'DELETE', pattern: one, body: 'none' },
      ...{ operationId: 'deleteVisit', handle: bound(remove) },
    },
  ];
}

/** Cursors stand behind a day and an id. */
const BY_DAY: Keys<VisitRecord, VisitPlace | null> = {
  keyOf: ({ visited_on: visitedOn, id }) => ({ visitedOn, id }),
  read: (opened) => {
    const values = propertiesOf(opened);
    const [visitedOn, id] = [values?.get('visitedOn'), values?.get('id')];
    return typeof visitedOn === 'string' && typeof id === 'number' ? { visitedOn, id } : undefined;
  },
};

function list(context: RequestContext, { store, cursors }: VisitRouteOptions): Promise<Reply> {
  const { filters, ...part } = requireValid(parseVisitsQuery(context.query), context);
  const ownerId = authorIdOf(context);
  return pageReply(context, part, {
    ...{ scope: 'visits', cursors, keys: BY_DAY, start: null },
    read: (from, limit) => store.page(ownerId, filters, from ?? undefined, limit),
    total: () => store.count(ownerId, filters),
    render: visitJson,
  });
}

function get(context: RequestContext, { store }: VisitRouteOptions): Reply {
  return ok(visitJson(found(context, store)));
}

async function create(context: RequestContext, { store, changeLog }: VisitRouteOptions): Promise<Reply> {
  const { restaurantId, visited_on, ...fields } = requireValid(parseNewVisit(context.body), context);
  const { result: reply } = await changeLog.write(writerOf(context), (write) => {
    const place = store.place(restaurantId);
    const day = visited_on ?? (place && todayAt(place, new Date(write.now)));
    const own = { ...fields, visited_on: day ?? '' };
    const visit = place && store.create(authorIdOf(context), restaurantId, own, write);
    if (!visit) throw notFound('Restaurant');
    const made = created(`/api/visits/${visit.id}`, visitJson(visit));
    return context.storeAnswer(withChange(made, write.changeId()));
  });
  return reply;
}

async function update(context: RequestContext, { store, changeLog }: VisitRouteOptions): Promise<Reply> {
  const id = idOf(context);
  const { change, restaurantId } = requireValid(parseVisitChange(context.body), context);
  const { result, changeId } = await changeLog.write(writerOf(context), (write) => {
    const before = found(context, store, id);
    if (restaurantId !== undefined && restaurantId !== before.restaurant_id)
      throw badRequest('restaurant_id cannot be changed');
    const faults = visitFaults({ ...before, ...change });
    if (faults.length > 0) throw badRequest(...faults);
    return store.update(id, change, write) ?? before;
  });
  return withChange(ok(visitJson(result)), changeId);
}

async function remove(context: RequestContext, { store, changeLog }: VisitRouteOptions): Promise<Reply> {
  const { changeId } = await changeLog.write(writerOf(context), (write) => {
    store.remove(found(context, store).id, write);
  });
  return withChange(noContent(), changeId);
}

const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'visit');

/** The caller's visit. Throws 404 where there is none, and for one of another user. */
function found(context: RequestContext, store: VisitStore, id = idOf(context)): VisitRecord {
  const visit = store.find(authorIdOf(context), id);
  if (!visit) throw notFound('Visit');
  return visit;
}
