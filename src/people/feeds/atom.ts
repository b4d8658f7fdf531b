import { asXml } from '../../kit/static-files.ts';
import type { Action, PublicKind } from '../../storage/change-log.ts';

/** A change of something public. */
export interface PublicChange {
  readonly id: number;
  readonly at: string;
  readonly kind: PublicKind;
  readonly entity_id: number;
  readonly restaurant_id: number | null;
  readonly action: Action;
  /** The name of what was changed, or of its restaurant. */
  readonly name: string;
  readonly author_id: number | null;
  readonly author_name: string | null;
}

export const ATOM_TYPE = 'application/atom+xml; charset=utf-8';

/** A feed with its ids and links. */
export interface AtomFeed {
  /** A permanent path, and the time since which it has identified this feed. */
  readonly id: string;
  readonly created_at: string;
  readonly title: string;
  /** Of the service. */
  readonly base: URL;
  /** Its own path, and that of the page with the same content. */
  readonly self: string;
  readonly alternate: string;
}

/** An entry of a feed. */
export interface FeedEntry {
  /** A path that never changes. */
  readonly id: string;
  readonly at: string;
  readonly title: string;
  readonly author?: string | undefined;
  readonly summary?: string | null;
  /** The path of its page. */
  readonly page: string;
}

const DEEDS: Readonly<Record<Action, string>> = {
  create: 'added',
  update: 'changed',
  delete: 'deleted',
  restore: 'brought back',
};
const NOUNS: Readonly<Record<PublicKind, string>> = {
  restaurant: '',
  category: 'the category ',
  food_type: 'the food type ',
  suggestion: 'the suggestion ',
  rating: 'a rating of ',
  photo: 'a photo of ',
};

/** An Atom feed (RFC 4287) with these entries, the newest first. */
export function feedText(feed: AtomFeed, entries: readonly FeedEntry[]): string {
  const { base } = feed;
  const element = (name: string, text: string): string => `<${name}>${asXml(text)}</${name}>`;
  // A tag URI cannot name an IPv6 address as its authority (RFC 4151).
  const host = base.hostname.startsWith('[') ? 'localhost' : base.hostname;
  const id = (at: string, path: string): string => element('id', `tag:${host},${at.slice(0, 10)}:${path}`);
  const author = (name: string): string => `<author>${element('name', name)}</author>\n`;
  const link = (rel: string, path: string): string =>
    `<link rel="${rel}" href="${asXml(base.origin + path)}"/>\n`;
  const texts = entries.map(
    (entry) =>
      `<entry>\n${id(entry.at, entry.id)}${element('title', entry.title)}${element('updated', entry.at)}` +
      (entry.author === undefined ? '' : author(entry.author)) +
      (entry.summary ? element('summary', entry.summary) : '') +
      `${link('alternate', entry.page)}</entry>\n`,
  );
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n' +
    id(feed.created_at, feed.id) +
    element('title', feed.title) +
    element('updated', entries[0]?.at ?? feed.created_at) +
    author(feed.title) +
    link('self', feed.self) +
    link('alternate', feed.alternate) +
    `${texts.join('')}</feed>\n`
  );
}

/** The title of a change, with the name of its author if authors are shown. */
export function entryOfChange(change: PublicChange, author: string | undefined): FeedEntry {
  const { id, at, kind, action, name } = change;
  const title = `${author ?? 'Someone'} ${DEEDS[action]} ${NOUNS[kind]}${name}`;
  return { id: `/changes/${id}`, at, title, author, page: pageOf(change) };
}

/** The page of the app that shows what was changed; all changes where there is none. */
function pageOf({ kind, entity_id: id, restaurant_id: restaurantId, action }: PublicChange): string {
  if (kind === 'suggestion' && action !== 'delete') return `/suggestions?sel=${id}`;
  const isGone = kind === 'restaurant' && action === 'delete';
  return restaurantId === null || isGone ? '/activity' : `/restaurants/${restaurantId}`;
}
