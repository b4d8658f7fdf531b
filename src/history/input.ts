import { type Parsed, parsed } from '../kit/input/fields.ts';
import {
  type Query,
  choiceParameter,
  choicesParameter,
  idsParameter,
  integerParameter,
  pagePart,
  queryParser,
  readQuery,
  textParameter,
} from '../kit/input/query.ts';
import { ACTIONS, PUBLIC_KINDS, PRIVATE_KINDS } from '../storage/change-log.ts';
import type { LogOrder } from './cursor.ts';
import type { ChangeFilters } from './store.ts';

/** The part of the log that a client asks for. */
export interface ChangeQuery {
  readonly filters: ChangeFilters;
  readonly order: LogOrder;
  /** A cursor, or `start`. */
  readonly since: string | undefined;
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_IDS = 100;
const MAX_CURSOR = 200;

/** The query of `GET /changes`; `me` is `userId`. */
export function parseChangeQuery(queryString: string, userId: number): Parsed<ChangeQuery> {
  const query = readQuery(queryString);
  const order = choiceParameter(query, 'order', ['oldest', 'newest']) ?? 'oldest';
  const collapsed = choiceParameter(query, 'batches', ['collapsed']) ? true : undefined;
  if (collapsed && order === 'oldest') query.faults.push('batches needs order=newest');
  return parsed(query, { filters: { ...filtersOf(query, userId), collapsed }, order, ...partOf(query) });
}

/** The query of `GET /changes/stream`, which knows one order and no limit. */
export function parseStreamQuery(
  queryString: string,
  userId: number,
): Parsed<Pick<ChangeQuery, 'filters' | 'since'>> {
  const query = readQuery(queryString);
  const filters = filtersOf(query, userId);
  return parsed(query, { filters, since: textParameter(query, 'since', MAX_CURSOR) });
}

/** The query of `GET /batches`. */
export const parseBatchQuery = queryParser((query) => pagePart(query, MAX_CURSOR));

/** The query of a restaurant's history, which is always read from the newest change on. */
export const parseHistoryQuery = queryParser((query): Omit<ChangeQuery, 'filters'> => {
  choiceParameter(query, 'order', ['newest']);
  return { order: 'newest', ...partOf(query) };
});

function partOf(query: Query): Pick<ChangeQuery, 'since' | 'limit'> {
  return {
    since: textParameter(query, 'since', MAX_CURSOR),
    limit: integerParameter(query, 'limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
  };
}

function filtersOf(query: Query, userId: number): ChangeFilters {
  const kind = choicesParameter(query, 'kind', [...PUBLIC_KINDS, ...PRIVATE_KINDS]);
  const entity_id = idsParameter(query, 'entity_id', MAX_IDS);
  if (entity_id !== undefined && kind?.length !== 1) query.faults.push('entity_id needs one kind');
  return {
    kind,
    entity_id,
    action: choicesParameter(query, 'action', ACTIONS),
    actor_id: idsParameter(query, 'actor', MAX_IDS, new Map([['me', userId]])),
    batch_id: idsParameter(query, 'batch_id', MAX_IDS),
  };
}
