import { calendarEvent, geoValue, textValue } from '../../kit/ics.ts';
import { ALL, type Slice, inSlices } from '../../kit/slices.ts';
import { HOUR_MS, stampOf } from '../../kit/time.ts';
import type { Outing } from './record.ts';
import type { Outings } from './store.ts';

/** The parts of the ids and links of events. `instance` distinguishes them from those of other catalogues. */
interface Place {
  readonly instance: string;
  readonly origin: string;
}

const LASTS_MS = 2 * HOUR_MS;
const SEQUENCES: Readonly<Record<Outing['state'], number>> = { open: 0, decided: 1, cancelled: 2 };

/** Events for the outings of a user, the newest first, without those that the user does not attend. */
export function outingEvents(
  outings: Outings,
  userId: number | null,
  place: Place,
): Generator<Slice<unknown>> {
  return inSlices(
    ALL,
    (last: Outing | undefined, limit) => outings.ofUser(userId, last?.id ?? Number.MAX_SAFE_INTEGER, limit),
    (outing) =>
      outings.voter(outing, { userId })?.coming === 0 ? undefined : outingEvent(outings, outing, place),
  );
}

/** The event of an outing in UTC: tentative while people vote, and cancelled if nothing has won. */
export function outingEvent(outings: Outings, outing: Outing, { instance, origin }: Place): string {
  const { id, title, token, at, state, created_at, changed_at } = outing;
  const winner = outings.winnerOf(outing);
  const isOff = state === 'cancelled' || (state === 'decided' && !winner);
  const names = [title ?? '', winner?.name ?? ''].filter((name) => name !== '');
  const { address = null, latitude = null, longitude = null } = winner?.place ?? {};
  const uid = `outing-${id}@${instance}`;
  return calendarEvent({ uid, sequence: SEQUENCES[state], created: created_at, changed: changed_at }, [
    ['DTSTART', stampOf(new Date(at))],
    ['DTEND', stampOf(new Date(Date.parse(at) + LASTS_MS))],
    ['SUMMARY', textValue(names.join(': ') || 'Where do we eat?')],
    ['STATUS', isOff ? 'CANCELLED' : state === 'open' ? 'TENTATIVE' : 'CONFIRMED'],
    ['LOCATION', textValue([winner?.name, address].filter(Boolean).join(', '))],
    ['GEO', geoValue(latitude, longitude)],
    ['URL', `${origin}/o/${token}`],
  ]);
}
