import { type RequestContext, authorIdOf, idInPath, writeChecked } from '../../http/context.ts';
import { badRequest, conflict, notFound, requireValid } from '../../http/errors.ts';
import { writePage } from '../../http/list-replies.ts';
import { type Reply, noContent, okText } from '../../http/reply.ts';
import { PUBLIC_READ, type Route, SESSION_OR_TOKEN } from '../../http/router.ts';
import { bodyParser, requiredIdField } from '../../kit/input/fields.ts';
import { parsePagePart, queryParser, requiredTextParameter, textParameter } from '../../kit/input/query.ts';
import type { Sealer } from '../../kit/input/sealed.ts';
import { isObject } from '../../kit/objects.ts';
import { ALL, inSlices } from '../../kit/slices.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { isBoolean, isNumber, readStored } from '../../storage/stored.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { pointParameters } from '../restaurants/input.ts';
import type { RestaurantTexts } from '../restaurants/texts.ts';
import type { Duplicates } from './duplicates.ts';
import type { Likeness } from './likeness.ts';
import type { Likely } from './traits.ts';
import type { Pair, PairPlace } from './pairs.ts';

interface DuplicateParts {
  readonly duplicates: () => Duplicates;
  readonly texts: RestaurantTexts;
  readonly transactions: Pick<Transactions, 'write'>;
  /** duplicates.sql */
  readonly sql: QueryFile;
  readonly cursors: Sealer;
}

const SCOPE = 'duplicates';
const MOST_SIMILAR = 10;
const MOST_DISMISSED = 10_000;
const BLANK_PARAMETER = /(?<=^|&)[^&=]*=?(?:\+|%20|%09|%0[ad]|%c2%a0|%e3%80%80)*(?=&|$)/gi;

const parseSimilar = queryParser((query): Likely => {
  const { latitude = null, longitude = null } = pointParameters(query) ?? {};
  return {
    name: requiredTextParameter(query, 'name', 255),
    address: textParameter(query, 'address', 500) ?? null,
    phone: textParameter(query, 'phone', 50) ?? null,
    website: textParameter(query, 'website', 500) ?? null,
    latitude,
    longitude,
  };
});

const parsePair = bodyParser((fields) => {
  const [a, b] = [requiredIdField(fields, 'a'), requiredIdField(fields, 'b')];
  if (a === b && fields.faults.length === 0) fields.faults.push('a and b must be different restaurants');
  return { a: Math.min(a, b), b: Math.max(a, b) };
});

/** `/api/restaurants/similar` and `/api/duplicates`. */
export function duplicateRoutes({
  duplicates,
  texts,
  transactions,
  sql,
  cursors,
}: DuplicateParts): readonly Route[] {
  const isDismissed = sql.prepare('isDismissed');
  const countDismissed = sql.prepare<number>('countDismissed').pluck();
  const dismissPair = sql.prepare('dismiss');
  const forgetDismissal = sql.prepare('forgetDismissal');

  async function similar(context: RequestContext): Promise<Reply> {
    const place = requireValid(parseSimilar(context.query.replace(BLANK_PARAMETER, '')), context);
    const matches = await duplicates().similar(place, context.work);
    const places = matches.slice(0, MOST_SIMILAR).flatMap((match) => {
      // Another process may have deleted it since.
      const text = texts.place(match.id);
      return text === undefined ? [] : [`{"restaurant":${text},${likenessText(match)}}`];
    });
    return okText(`[${places.join()}]`);
  }

  async function list(context: RequestContext): Promise<Reply> {
    const { limit, cursor } = requireValid(parsePagePart(context.query), context);
    const after = cursor === undefined ? undefined : placeIn(cursors.open(SCOPE, cursor));
    if (cursor !== undefined && !after) throw badRequest('Invalid cursor');
    // One more than requested shows whether another page follows.
    const { pairs, total, searching, complete } = await duplicates().part(after, limit + 1);
    await context.work.turn();
    const toText = (pair: Pair): string | undefined => {
      const [a, b] = [texts.one(pair.a), texts.one(pair.b)];
      return a && b && `{"a":${a},"b":${b},${likenessText(pair)}}`;
    };
    const slices = inSlices(ALL, (last) => (last ? pairs.slice(pairs.indexOf(last) + 1) : pairs), toText);
    const cursorBehind = ({ certain, score, a, b }: Pair): string =>
      cursors.seal(SCOPE, { certain, score, a, b });
    const more = `,"complete":${complete},"searching":${searching}`;
    return writePage(context, limit, { slices, cursorBehind, total: () => total, more });
  }

  async function dismiss(context: RequestContext): Promise<Reply> {
    const pair = requireValid(parsePair(context.body), context);
    const reply = await writeChecked({ transactions }, context, () => {
      if (texts.one(pair.a) === undefined || texts.one(pair.b) === undefined) throw notFound('Restaurant');
      const mine = { userId: authorIdOf(context), most: MOST_DISMISSED };
      if (isDismissed.get(pair) === undefined && countDismissed.get(mine) === MOST_DISMISSED)
        throw conflict('You have dismissed 10,000 pairs');
      dismissPair.run({ ...pair, userId: mine.userId });
      return context.storeAnswer(noContent());
    });
    duplicates().decided(pair.a, pair.b, true);
    return reply;
  }

  async function undismiss(context: RequestContext): Promise<Reply> {
    const { parameters } = context;
    const [a, b] = [idInPath(parameters, 'a', 'restaurant'), idInPath(parameters, 'b', 'restaurant')];
    await writeChecked({ transactions }, context, () => {
      if (forgetDismissal.run({ a, b }).changes === 0) throw notFound('Dismissed pair');
    });
    duplicates().decided(a, b, false);
    return noContent();
  }

  const user = { access: 'user', credentials: SESSION_OR_TOKEN, answers: 'private', limit: 'api' } as const;
  const write = { ...user, access: 'catalogueWriter', answers: 'public' } as const;
  const all = '/api/duplicates';
  return [
    { ...PUBLIC_READ, pattern: '/api/restaurants/similar', operationId: 'findSimilar', handle: similar },
    { ...user, method: 'GET', body: 'none', pattern: all, operationId: 'listDuplicates', handle: list },
    {
      ...write,
      method: 'POST',
      body: 'json',
      pattern: `${all}/dismiss`,
      operationId: 'dismissDuplicate',
      handle: dismiss,
    },
    {
      ...write,
      method: 'DELETE',
      body: 'none',
      pattern: `${all}/dismissed/:a/:b`,
      operationId: 'forgetDismissal',
      handle: undismiss,
    },
  ];
}

function likenessText({ certain, reasons, distance }: Likeness): string {
  const distance_m = distance === null ? null : Math.round(distance);
  return JSON.stringify({ certain, reasons, distance_m }).slice(1, -1);
}

/** The place in an opened cursor; undefined if it is none. */
function placeIn(opened: unknown): PairPlace | undefined {
  const columns = { certain: isBoolean, score: isNumber, a: isNumber, b: isNumber };
  return isObject(opened) ? readStored({ ...opened }, columns) : undefined;
}
