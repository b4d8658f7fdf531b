import { type RequestContext, authorIdOf, idInPath, replyOfWrite } from '../../http/context.ts';
import { badRequest, requireFound, requireValid } from '../../http/errors.ts';
import { type Keys, pageReply } from '../../http/list-replies.ts';
import { type Reply, created, noContent, ok } from '../../http/reply.ts';
import { FOR_USER, type Route } from '../../http/router.ts';
import type { Sealer } from '../../kit/input/sealed.ts';
import { parseJson, propertiesOf } from '../../kit/objects.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import type { PlaceText } from '../lists/record.ts';
import { parseNewVisit, parseVisitChange, parseVisitsQuery, visitFaults } from './input.ts';
import { type VisitRecord, visitJson } from './record.ts';
import { type VisitPlace, type VisitStore, visitPlaceOf, todayAt } from './store.ts';

/** Cursors stand for a day and an id. */
const BY_DAY: Keys<VisitRecord, VisitPlace | null> = {
  keyOf: visitPlaceOf,
  read: (opened) => {
    const values = propertiesOf(opened);
    const [visitedOn, id] = [values?.get('visitedOn'), values?.get('id')];
    return typeof visitedOn === 'string' && typeof id === 'number' ? { visitedOn, id } : undefined;
  },
};

/** `/api/visits`, only for their owner. */
export function visitRoutes(
  store: VisitStore,
  changeLog: ChangeLog,
  cursors: Sealer,
  placeText: PlaceText,
): readonly Route[] {
  function list(context: RequestContext): Promise<Reply> {
    const { filters, withPlaces, ...part } = requireValid(parseVisitsQuery(context.query), context);
    const ownerId = authorIdOf(context);
    return pageReply(context, part, {
      scope: 'visits',
      cursors,
      keys: BY_DAY,
      start: null,
      read: (from, limit) => store.page(ownerId, filters, from ?? undefined, limit),
      total: () => store.count(ownerId, filters),
      render: (visit) => (withPlaces ? withPlace(visit) : visitJson(visit)),
    });
  }

  /** A visit with all of its restaurant, unless that is deleted. */
  function withPlace(visit: VisitRecord): object {
    const text = visit.restaurant_id === null ? undefined : placeText(visit.restaurant_id, true);
    const place = text === undefined ? undefined : { restaurant: parseJson(text) };
    return { ...visitJson(visit), ...place };
  }

  function create(context: RequestContext): Promise<Reply> {
    const { restaurantId, visited_on, ...fields } = requireValid(parseNewVisit(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      const place = requireFound(store.place(restaurantId), 'Restaurant');
      const own = { ...fields, visited_on: visited_on ?? todayAt(place, new Date(write.now)) };
      const visit = store.create(authorIdOf(context), restaurantId, own, write);
      return created(`/api/visits/${visit.id}`, visitJson(visit));
    });
  }

  function update(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const { change, restaurantId } = requireValid(parseVisitChange(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      const before = found(context, id);
      if (restaurantId !== undefined && restaurantId !== before.restaurant_id)
        throw badRequest('restaurant_id cannot be changed');
      const faults = visitFaults({ ...before, ...change });
      if (faults.length > 0) throw badRequest(...faults);
      return ok(visitJson(store.update(id, change, write) ?? before));
    });
  }

  function remove(context: RequestContext): Promise<Reply> {
    return replyOfWrite(context, changeLog, (write) => {
      store.remove(found(context).id, write);
      return noContent();
    });
  }

  /** The caller's visit. Throws 404 where there is none, and for one of another user. */
  function found(context: RequestContext, id = idOf(context)): VisitRecord {
    return requireFound(store.find(authorIdOf(context), id), 'Visit');
  }

  const read = { ...FOR_USER, method: 'GET', body: 'none' } as const;
  const write = { ...FOR_USER, body: 'json' } as const;
  const [all, one] = ['/api/visits', '/api/visits/:id'];
  return [
    { ...read, pattern: all, operationId: 'listVisits', handle: list },
    { ...write, method: 'POST', pattern: all, operationId: 'createVisit', handle: create },
    { ...read, pattern: one, operationId: 'getVisit', handle: (context) => ok(visitJson(found(context))) },
    { ...write, method: 'PUT', pattern: one, operationId: 'updateVisit', handle: update },
    { ...write, method: 'DELETE', pattern: one, body: 'none', operationId: 'deleteVisit', handle: remove },
  ];
}

function idOf({ parameters }: RequestContext): number {
  return idInPath(parameters, 'id', 'visit');
}
