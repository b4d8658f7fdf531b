import { DAY_MS } from '../../kit/time.ts';
import { ALL, type Slice, inSlices } from '../../kit/slices.ts';
import { PLACEHOLDER_ID } from '../../storage/change-log.ts';
import type { Dish, VisitRecord } from '../visits/record.ts';
import { ALL_VISITS, type VisitStore, visitPlaceOf } from '../visits/store.ts';
import { type Property, calendarEvent, geoValue, textValue } from '../../kit/ics.ts';
import type { FeedStore, OwnChange } from './store.ts';

// Deleted visits stay in the feed, as cancelled, for this many days: some calendars never drop events by themselves.
const CANCELLED_DAYS = 90;
const NAMES = new Intl.ListFormat('en-GB');
// By ISO 4217 currency: creating a formatter takes longer than the rest of an event.
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
  yield* inSlices(
    ALL,
    (last: VisitRecord | undefined, limit) =>
      visits.page(ownerId, ALL_VISITS, last && visitPlaceOf(last), limit),
    (visit) => {
      const { restaurant_id: id, updated_at } = visit;
      const { address, latitude, longitude, restored_at } = feeds.visitDetails(visit.id, id);
      return visitEvent(instance, visit, restored_at > updated_at ? restored_at : updated_at, [
        ['STATUS', 'CONFIRMED'],
        ['LOCATION', textValue(address ?? '')],
        ['GEO', geoValue(latitude, longitude)],
        ['DESCRIPTION', textValue(descriptionOf(visit))],
        ['URL', id === null ? '' : `${origin}/restaurants/${id}`],
      ]);
    },
  );
  const since = new Date(Date.now() - CANCELLED_DAYS * DAY_MS).toISOString();
  yield* inSlices(
    ALL,
    (last: OwnChange | undefined, limit) => feeds.ownChanges(ownerId ?? PLACEHOLDER_ID, since, last, limit),
    // Only its day, and nothing at all when the log no longer has it.
    ({ at, visit_id: id, restaurant_name, visited_on, created_at }) =>
      id === null || visited_on === null
        ? undefined
        : visitEvent(instance, { id, restaurant_name, visited_on, created_at }, at, [
            ['STATUS', 'CANCELLED'],
          ]),
  );
}

/** An all-day event without a time zone, during which its owner counts as free. */
function visitEvent(
  instance: string,
  visit: Pick<VisitRecord, 'id' | 'restaurant_name' | 'visited_on' | 'created_at'>,
  changedAt: string,
  more: readonly Property[],
): string {
  // Rounded up, so that a change within the first second increases it.
  const sequence = Math.max(0, Math.ceil((Date.parse(changedAt) - Date.parse(visit.created_at)) / 1_000));
  const uid = `visit-${visit.id}@${instance}`;
  return calendarEvent({ uid, sequence, created: visit.created_at, changed: changedAt }, [
    ['DTSTART;VALUE=DATE', visit.visited_on.replaceAll('-', '')],
    ['SUMMARY', textValue(visit.restaurant_name)],
    ['TRANSP', 'TRANSPARENT'],
    ...more,
  ]);
}

/** The notes, dishes and costs of a visit, as lines. */
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
