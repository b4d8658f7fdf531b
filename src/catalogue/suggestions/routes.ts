import { type RequestContext, idInPath, replyOfWrite } from '../../http/context.ts';
import { alreadyExists, conflict, requireFound, requireStored, requireValid } from '../../http/errors.ts';
import { listReply } from '../../http/list-replies.ts';
import { type Reply, created, createdText, noContent, ok } from '../../http/reply.ts';
import { FOR_USER, PUBLIC_READ, type Route } from '../../http/router.ts';
import type { SliceReader } from '../../kit/slices.ts';
import type { Authored } from '../authors.ts';
import type { CatalogueParts } from '../parts.ts';
import { storedFieldsOf } from '../restaurants/fields.ts';
import { hoursWarnings, parseReferences as parseRestaurantReferences } from '../restaurants/input.ts';
import {
  parseConversion,
  parseNewSuggestion,
  parseSuggestedReferences,
  parseStatusChange,
  parseSuggestionListQuery,
} from './input.ts';
import { type SuggestionRecord, suggestionJson } from './record.ts';

type Suggestion = Authored<SuggestionRecord>;

/** `/api/suggestions` and below. */
export function suggestionRoutes(parts: CatalogueParts): readonly Route[] {
  const { index, texts, changeLog, showAuthor, requireOwner } = parts;
  const { suggestions: store, restaurants, ratings } = parts.stores;
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'suggestion');
  const answer = (record: Suggestion): object => suggestionJson(record, index.lookups(), showAuthor);
  const find = (id: number): Suggestion => requireFound(store.get(id), 'Suggestion');

  function list(context: RequestContext): Promise<Reply> {
    const asked = requireValid(parseSuggestionListQuery(context.query), context);
    const read: SliceReader<Suggestion> = (...slice) => store.list(asked.status, ...slice);
    return listReply(context, asked, read, (record) => JSON.stringify(answer(record)));
  }

  function create(context: RequestContext): Promise<Reply> {
    const { body } = context;
    const input = requireValid(parseNewSuggestion(body), context, () => {
      const references = parseSuggestedReferences(body);
      return restaurants.findReferenceFaults(references, references.categoryField);
    });
    return replyOfWrite(context, changeLog, (write) => {
      const record = requireStored(store.create(input, write), 'Suggestion');
      return created(`/api/suggestions/${record.id}`, answer(record));
    });
  }

  function setStatus(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const status = requireValid(parseStatusChange(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      const before = find(id);
      if (before.status === 'converted') throw conflict(`Suggestion ${id} was converted and stays so`);
      const twin = before.status === 'rejected' && status !== 'rejected' ? store.findTwin(before) : undefined;
      if (twin) throw alreadyExists(twin.noun, twin.of);
      return ok(answer(store.setStatus(id, status, write) ?? before));
    });
  }

  function convertToRestaurant(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const { body } = context;
    const { overrides, rating } = requireValid(parseConversion(body), context, () =>
      restaurants.findReferenceFaults(parseRestaurantReferences(body)),
    );
    context.handling.note({ of: 'fields', sentences: hoursWarnings(overrides) });
    return replyOfWrite(context, changeLog, (write) => {
      const suggestion = find(id);
      const { status, suggested_category_id: category_id } = suggestion;
      if (status === 'rejected' || status === 'converted')
        throw conflict(`Suggestion ${id} was ${status} before`);
      const own = storedFieldsOf({ ...suggestion, category_id, status: 'active' });
      // Storing the restaurant marks the suggestion as converted.
      const outcome = restaurants.create({ ...own, ...overrides }, write, { suggestionId: id });
      const record = requireStored(outcome, 'Restaurant');
      if (rating) ratings.create({ restaurant_id: record.id, ...rating }, write);
      const more = { restaurant_id: record.id, message: 'Suggestion converted to restaurant' };
      const made = `${texts.written(record.id).slice(0, -1)},${JSON.stringify(more).slice(1)}`;
      return createdText(`/api/restaurants/${record.id}`, made);
    });
  }

  function remove(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    return replyOfWrite(context, changeLog, (write) => {
      const { status, author_id } = find(id);
      // Authors may delete their suggestion only while it is pending.
      requireOwner(context.principal, status === 'pending' ? author_id : null);
      store.remove(id, write);
      return noContent();
    });
  }

  const write = { ...FOR_USER, answers: 'public' } as const;
  const moderate = { ...write, access: 'catalogueWriter' } as const;
  const all = { pattern: '/api/suggestions' };
  const one = { pattern: '/api/suggestions/:id' };
  const status = { pattern: '/api/suggestions/:id/status', operationId: 'setSuggestionStatus' };
  const conversion = { pattern: '/api/suggestions/:id/convert', operationId: 'convertSuggestion' };
  return [
    { ...PUBLIC_READ, ...all, operationId: 'listSuggestions', handle: list },
    {
      ...PUBLIC_READ,
      ...one,
      operationId: 'getSuggestion',
      handle: (context) => ok(answer(find(idOf(context)))),
    },
    { ...write, ...all, method: 'POST', body: 'json', operationId: 'createSuggestion', handle: create },
    { ...write, ...one, method: 'DELETE', body: 'none', operationId: 'deleteSuggestion', handle: remove },
    { ...moderate, ...status, method: 'PATCH', body: 'json', handle: setStatus },
    { ...moderate, ...conversion, method: 'POST', body: 'jsonOrEmpty', handle: convertToRestaurant },
  ];
}
