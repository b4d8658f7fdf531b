import type { Authored, ShowAuthor } from '../authors.ts';
import { type Principal, type RequestContext, idInPath, writerOf } from '../../http/context.ts';
import { alreadyExists, conflict, notFound, requireStored, requireValid } from '../../http/errors.ts';
import { type Reply, created, createdText, noContent, ok, withChange } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { listReply } from '../../http/list-replies.ts';
import type { SliceReader } from '../../kit/slices.ts';
import { hoursWarnings } from '../restaurants/input.ts';
import type { Lookups } from '../../index/lookups.ts';
import type { RestaurantTexts } from '../restaurants/texts.ts';
import type { RestaurantStore } from '../restaurants/store.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import type { Convert } from './convert.ts';
import {
  parseConversion,
  parseNewSuggestion,
  parseOverrideReferences,
  parseReferences,
  parseStatusChange,
  parseSuggestionListQuery,
} from './input.ts';
import { type OpenStatus, type SuggestionRecord, suggestionJson } from './record.ts';
import type { SuggestionStore } from './store.ts';

export interface SuggestionRouteOptions {
  readonly store: SuggestionStore;
  readonly lookups: () => Lookups;
  readonly texts: RestaurantTexts;
  readonly convert: Convert;
  readonly changeLog: ChangeLog;
  readonly showAuthor: ShowAuthor;
  readonly restaurants: Pick<RestaurantStore, 'findReferenceFaults'>;
  /** Throws 403 when the caller may not remove a record of `ownerId`. */
  readonly requireOwner: (principal: Principal | undefined, ownerId: number | null) => void;
}

type Suggestion = Authored<SuggestionRecord>;

/** `/api/suggestions` and below (SPEC, "Suggestions"). */
export function suggestionRoutes(options: SuggestionRouteOptions): readonly Route[] {
  const { list, get, create, setStatus, convert, remove } = createHandlers(options);
  const read = { method: 'GET', access: 'public', body: 'none', limit: 'api' } as const;
  const write = { access: 'user', limit: 'api' } as const;
  const moderate = { access: 'catalogueWriter', limit: 'api' } as const;
  const all = '/api/suggestions';
  const one = '/api/suggestions/:id';
  const status = { pattern: `${one}/status`, operationId: 'setSuggestionStatus' };
  const conversion = { pattern: `${one}/convert`, operationId: 'convertSuggestion' };
  return [
    { ...read, pattern: all, operationId: 'listSuggestions', handle: list },
    { ...read, pattern: one, operationId: 'getSuggestion', handle: get },
    { ...write, method: 'POST', pattern: all, body: 'json', operationId: 'createSuggestion', handle: create },
    {
      ...write,
      method: 'DELETE',
      pattern: one,
      body: 'none',
      operationId: 'deleteSuggestion',
      handle: remove,
    },
    { ...moderate, ...status, method: 'PATCH', body: 'json', handle: setStatus },
    { ...moderate, ...conversion, method: 'POST', body: 'jsonOrEmpty', handle: convert },
  ];
}

type Handlers = Readonly<
  Record<'list' | 'get' | 'create' | 'setStatus' | 'convert' | 'remove', Route['handle']>
>;

function createHandlers(options: SuggestionRouteOptions): Handlers {
  const { store, lookups, changeLog, showAuthor, restaurants, requireOwner } = options;
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'suggestion');

  const answer = (record: Suggestion): object => suggestionJson(record, lookups(), showAuthor);

  return {
    list: (context) => {
      const asked = requireValid(parseSuggestionListQuery(context.query), context);
      const read: SliceReader<Suggestion> = (...part) => store.list(asked.status, ...part);
      return listReply(context, asked, read, (record) => JSON.stringify(answer(record)));
    },
    get: (context) => ok(answer(found(store.get(idOf(context))))),
    create: async (context) => {
      const { body } = context;
      const input = requireValid(parseNewSuggestion(body), context, () => {
        const references = parseReferences(body);
        return restaurants.findReferenceFaults(references, references.categoryField);
      });
      const { result: reply } = await changeLog.write(writerOf(context), (write) => {
        const record = requireStored(store.create(input, write), 'Suggestion');
        const made = created(`/api/suggestions/${record.id}`, answer(record));
        return context.storeAnswer(withChange(made, write.changeId()));
      });
      return reply;
    },
    setStatus: async (context) => {
      const id = idOf(context);
      const status = requireValid(parseStatusChange(context.body), context);
      const { result, changeId } = await changeLog.write(writerOf(context), (write) => {
        requireOpen(id, status, store);
        return found(store.setStatus(id, status, write));
      });
      return withChange(ok(answer(result)), changeId);
    },
    convert: (context) => convertSuggestion(idOf(context), context, options),
    remove: async (context) => {
      const id = idOf(context);
      const { changeId } = await changeLog.write(writerOf(context), (write) => {
        const { status, author_id } = found(store.get(id));
        // Once it is approved or a restaurant, it is no longer its author's alone.
        requireOwner(context.principal, status === 'pending' ? author_id : null);
        store.remove(id, write);
      });
      return withChange(noContent(), changeId);
    },
  };
}

/** Throws 409 when the suggestion was converted, or would be a duplicate once it is no longer rejected. */
function requireOpen(id: number, status: OpenStatus, store: SuggestionStore): void {
  const before = found(store.get(id));
  if (before.status === 'converted') throw conflict(`Suggestion ${id} was converted and stays so`);
  const twin = before.status === 'rejected' && status !== 'rejected' ? store.findTwin(before) : undefined;
  if (twin) throw alreadyExists(twin.noun, twin.of);
}

async function convertSuggestion(
  id: number,
  context: RequestContext,
  { convert, texts, changeLog, restaurants }: SuggestionRouteOptions,
): Promise<Reply> {
  const { body } = context;
  const conversion = requireValid(parseConversion(body), context, () =>
    restaurants.findReferenceFaults(parseOverrideReferences(body)),
  );
  context.handling.note({ of: 'fields', sentences: hoursWarnings(conversion.overrides) });
  const { result: reply } = await changeLog.write(writerOf(context), (write) => {
    const outcome = convert(id, conversion, write);
    if (!outcome) throw notFound('Suggestion');
    if (outcome.outcome === 'closed') throw conflict(`Suggestion ${id} was ${outcome.status} before`);
    const record = requireStored(outcome, 'Restaurant');
    const more = { restaurant_id: record.id, message: 'Suggestion converted to restaurant' };
    const made = `${texts.ofRecord(record).slice(0, -1)},${JSON.stringify(more).slice(1)}`;
    const answer = createdText(`/api/restaurants/${record.id}`, made);
    return context.storeAnswer(withChange(answer, write.changeId()));
  });
  return reply;
}

function found(record: Suggestion | undefined): Suggestion {
  if (!record) throw notFound('Suggestion');
  return record;
}
