import type { Action, PublicKind } from '../../storage/change-log.ts';

/** A change of something public. */
export interface PublicChange {
  readonly id: number;
  readonly at: string;
  readonly kind: PublicKind;
  readonly entity_id: number;
  readonly restaurant_id: number | null;
  readonly action: Action;
  /** That of its entity, or of the restaurant of that. */
  readonly name: string;
  readonly author_id: number | null;
  readonly author_name: string | null;
}

interface Feed {
  readonly id: number;
  readonly created_at: string;
  readonly title: string;
  /** Of the service. */
  readonly base: URL;
  /** Its own path. */
  readonly path: string;
  /** A name, or undefined if it is unknown or hidden. */
  readonly authorOf: (change: PublicChange) => string | undefined;
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
// What XML 1.0 has no way to write (section 2.2), lone surrogates among them.
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The newest changes as an Atom feed (RFC 4287). */
export function atomText(changes: readonly PublicChange[], feed: Feed): string {
  const { base, authorOf } = feed;
  const tag = (at: string, path: string): string =>
    // A literal IPv6 address is no name of an authority (RFC 4151).
    `tag:${base.hostname.startsWith('[') ? 'localhost' : base.hostname},${at.slice(0, 10)}:${path}`;
  const link = (rel: string, path: string): string =>
    `<link rel="${rel}" href="${xmlText(base.origin + path)}"/>`;
  const entries = changes.map((change) => {
    const { id, at, kind, action, name } = change;
    const author = authorOf(change);
    return `<entry>
<id>${xmlText(tag(at, `/changes/${id}`))}</id>
<title>${xmlText(`${author ?? 'Someone'} ${DEEDS[action]} ${NOUNS[kind]}${name}`)}</title>
<updated>${at}</updated>
${author === undefined ? '' : `<author><name>${xmlText(author)}</name></author>\n`}${link('alternate', pageOf(change))}
</entry>
`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${xmlText(tag(feed.created_at, `/feeds/${feed.id}`))}</id>
<title>${xmlText(feed.title)}</title>
<updated>${changes[0]?.at ?? feed.created_at}</updated>
<author><name>${xmlText(feed.title)}</name></author>
${link('self', feed.path)}
${link('alternate', '/activity')}
${entries.join('')}</feed>
`;
}

/** The page of the app that shows what was changed; all changes where there is none. */
function pageOf({ kind, entity_id: id, restaurant_id: restaurantId, action }: PublicChange): string {
  if (kind === 'suggestion' && action !== 'delete') return `/suggestions?sel=${id}`;
  const isGone = kind === 'restaurant' && action === 'delete';
  return restaurantId === null || isGone ? '/activity' : `/restaurants/${restaurantId}`;
}

function xmlText(text: string): string {
  return text.replace(FORBIDDEN, '').replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}
