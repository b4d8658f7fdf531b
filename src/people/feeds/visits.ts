import { DAY_MS } from '../../kit/time.ts';
import { ALL, type Slice, inSlices } from '../../kit/slices.ts';
import { PLACEHOLDER_ID } from '../../storage/change-log.ts';
import type { Dish, VisitRecord } from '../visits/record.ts';
import { ALL_VISITS, type VisitStore, placeOf } from '../visits/store.ts';
import { type Property, eventText, textValue } from './ics.ts';
import type { DeletedVisit, FeedStore, OwnChange, VisitDetails } from './store.ts';

// For as long, calendars that forget nothing by themselves learn of a deletion.
const CANCELLED_DAYS = 90;
const NAMES = new Intl.ListFormat('en-GB');
// For the currencies of ISO 4217: to make one takes longer than all else about an event.
const FORMATS = new Map<string, (minor: number) => string>();
const AGAIN = ['not again', 'order again'];

/**
 * Events for the visits of an owner, the latest first, then for the deleted ones. `instance` distinguishes them from those of
 * other catalogues; `origin` leads to the pages of restaurants.
 */
export function* visitEvents(
  { feeds, visits }: { readonly feeds: FeedStore; readonly visits: VisitStore },
  ownerId: number | null,
  { instance, origin }: { readonly instance: string; readonly origin: string },
): Generator<Slice<unknown>> {
  const uidOf = (id: number): string => `visit-${id}@${instance}`;
  yield* inSlices(
    ALL,
    (last: VisitRecord | undefined, limit) => visits.page(ownerId, ALL_VISITS, last && placeOf(last), limit),
    (visit) => visitEvent(uidOf(visit.id), visit, feeds.visitDetails(visit), origin),
  );
  const since = new Date(Date.now() - CANCELLED_DAYS * DAY_MS).toISOString();
  yield* inSlices(
    ALL,
    (last: OwnChange | undefined, limit) => feeds.ownChanges(ownerId ?? PLACEHOLDER_ID, since, last, limit),
    ({ id, is_deleted_visit }) => {
      const deleted = is_deleted_visit === 1 ? feeds.deletedVisit(id) : undefined;
      return deleted && cancelledEvent(uidOf(deleted.id), deleted);
    },
  );
}

function visitEvent(uid: string, visit: VisitRecord, details: VisitDetails, origin: string): string {
  const { restaurant_id: id, restaurant_name: name, visited_on: day, created_at: createdAt } = visit;
  const { address, latitude, longitude, restored_at: restoredAt } = details;
  const changedAt = restoredAt !== null && restoredAt > visit.updated_at ? restoredAt : visit.updated_at;
  const properties: readonly Property[] = [
    ...dayProperties(day, name),
    ['STATUS', 'CONFIRMED'],
    ['LOCATION', textValue(address ?? '')],
    ['GEO', latitude === null || longitude === null ? '' : `${latitude};${longitude}`],
    ['DESCRIPTION', textValue(descriptionOf(visit))],
    ['URL', id === null ? '' : `${origin}/restaurants/${id}`],
  ];
  return eventText(uid, changedAt, { createdAt, properties });
}

/** Without anything that was noted of the visit. Undefined if its day is not known any more. */
function cancelledEvent(uid: string, visit: DeletedVisit): string | undefined {
  const { visited_on: day, restaurant_name: name, created_at: createdAt, deleted_at: deletedAt } = visit;
  if (day === null) return undefined;
  const properties: readonly Property[] = [...dayProperties(day, name), ['STATUS', 'CANCELLED']];
  return eventText(uid, deletedAt, { createdAt, properties });
}

/** A day without a time zone, which leaves its person free for other events. */
function dayProperties(day: string, name: string): readonly Property[] {
  return [
    ['DTSTART;VALUE=DATE', day.replaceAll('-', '')],
    ['SUMMARY', textValue(name)],
    ['TRANSP', 'TRANSPARENT'],
  ];
}

/** What was noted of a visit, as lines. */
function descriptionOf({ note, companions, dishes, total_minor: total, currency }: VisitRecord): string {
  const amount = (minor: number | null): string =>
    minor === null ? '' : amountText(minor, currency ?? 'XXX');
  const lines = [
    note ?? '',
    companions.length > 0 ? `With ${NAMES.format(companions)}` : '',
    ...dishes.map((dish) => dishText(dish, amount(dish.price_minor))),
    total === null ? '' : `Total: ${amount(total)}`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function dishText({ name, stars, again, note }: Dish, price: string): string {
  const facts = [stars === null ? '' : '★'.repeat(stars), price, AGAIN[Number(again ?? NaN)] ?? ''];
  const known = facts.filter((fact) => fact !== '').join(', ');
  return `${name}${known === '' ? '' : ` (${known})`}${note === null ? '' : `: ${note}`}`;
}

/** An amount in minor units of a currency. */
function amountText(minor: number, currency: string): string {
  const format = FORMATS.get(currency) ?? createFormat(currency);
  FORMATS.set(currency, format);
  return format(minor);
}

function createFormat(currency: string): (minor: number) => string {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions();
  return (minor) => format.format(minor / 10 ** digits);
}
