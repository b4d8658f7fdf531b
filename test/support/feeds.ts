import ICAL from 'ical.js';
import { type Answer, type Client, bodyOf, textOf } from './client.ts';

/** Makes a feed and returns its address. */
export async function makeFeed(api: Client, kind = 'visits'): Promise<string> {
  return textOf(bodyOf(await api.post('/feeds', { kind })), 'url');
}

/** The text of a feed. Throws when it is refused. */
export async function readFeed({ api }: { readonly api: Client }, url: string): Promise<string> {
  return String(bodyOf(await api.send(url, {})));
}

/** An event of a calendar, parsed: a text is as a person would see it. */
export interface CalendarEvent {
  readonly uid: string;
  /** YYYY-MM-DD */
  readonly day: string;
  readonly sequence: number;
  readonly summary: string;
  readonly status: string;
  readonly location: string | null;
  readonly description: string | null;
  /** Latitude and longitude. */
  readonly geo: readonly unknown[] | null;
  readonly url: string | null;
  readonly changedAt: string;
}

/** The events of a calendar by another implementation. Throws for what is no calendar, and for a time where a day has to be. */
export function eventsOf(calendar: string): CalendarEvent[] {
  const root = ICAL.Component.fromString(calendar);
  return root.getAllSubcomponents('vevent').map((event) => {
    const value = (name: string): unknown => event.getFirstPropertyValue(name);
    const text = (name: string): string => String(value(name));
    const textOrNull = (name: string): string | null => (event.hasProperty(name) ? text(name) : null);
    const day = value('dtstart');
    if (!(day instanceof ICAL.Time) || !day.isDate || event.hasProperty('dtend'))
      throw new Error(`no whole day: ${String(day)}`);
    const geo: unknown = value('geo');
    return {
      uid: text('uid'),
      day: day.toString(),
      sequence: Number(value('sequence')),
      summary: text('summary'),
      status: text('status'),
      location: textOrNull('location'),
      description: textOrNull('description'),
      geo: Array.isArray(geo) ? geo : null,
      url: textOrNull('url'),
      changedAt: text('last-modified'),
    };
  });
}

/** Status, body and the headers by which a feed is refused. */
export function refusalOfFeed({ status, headers, body }: Answer): unknown[] {
  const names = ['content-type', 'cache-control', 'referrer-policy', 'x-robots-tag', 'etag'];
  return [status, body, ...names.map((name) => headers.get(name))];
}
