import { type RequestContext, idInPath, replyOfWrite } from '../../http/context.ts';
import { badRequest, requireStored, requireValid } from '../../http/errors.ts';
import { type Reply, okText } from '../../http/reply.ts';
import { type Route, SESSION_OR_TOKEN } from '../../http/router.ts';
import { bodyParser, idsField } from '../../kit/input/fields.ts';
import type { CatalogueParts } from '../parts.ts';
import { MOST_MOVES } from '../restaurants/moves.ts';
import { mergeInto } from './merge.ts';

const MOST_MERGED = 10;

const parseMerge = bodyParser((fields) => {
  const { values, faults } = fields;
  const from = idsField(fields, 'from', MOST_MERGED);
  const sent = values.get('from') ?? [];
  if (faults.length === 0 && from.length === 0) faults.push('from must have at least 1 id');
  if (faults.length === 0 && Array.isArray(sent) && sent.length > from.length)
    faults.push('from must not have an id twice');
  return from;
});

/** Merges the restaurants `from` into another one. Rejects with 404 if one does not exist. */
export type MergeLarge = (context: RequestContext, id: number, from: readonly number[]) => Promise<Reply>;

/** `/api/restaurants/{id}/merge`. `mergeLarge` does those with a lot to move. */
export function mergeRoutes(
  { stores: { restaurants }, texts, changeLog }: CatalogueParts,
  mergeLarge: MergeLarge,
): readonly Route[] {
  function merge(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'restaurant');
    const from = requireValid(parseMerge(context.body), context);
    if (from.includes(id)) throw badRequest('A restaurant cannot be merged with itself');
    if (restaurants.countMoves(from) > MOST_MOVES) return mergeLarge(context, id, from);
    return replyOfWrite(context, changeLog, (write) => {
      requireStored(mergeInto(restaurants, id, from, write), 'Restaurant');
      return okText(texts.written(id));
    });
  }

  return [
    {
      method: 'POST',
      pattern: '/api/restaurants/:id/merge',
      access: 'catalogueWriter',
      credentials: SESSION_OR_TOKEN,
      answers: 'public',
      body: 'json',
      limit: 'api',
      operationId: 'mergeRestaurants',
      handle: merge,
    },
  ];
}
