import type { RequestContext } from '../../http/context.ts';
import { requireValid } from '../../http/errors.ts';
import { jsonArray } from '../../http/list-replies.ts';
import type { Reply } from '../../http/reply.ts';
import { PUBLIC_READ, type Route, SESSION_OR_TOKEN } from '../../http/router.ts';
import {
  choiceParameter,
  integerParameter,
  queryParser,
  requiredTextParameter,
} from '../../kit/input/query.ts';
import type { CatalogueParts } from '../parts.ts';
import { INCLUDES, parseIncludes } from '../restaurants/views.ts';

/** `/api/search` */
export function searchRoutes({ index, texts, views }: CatalogueParts): readonly Route[] {
  async function search(context: RequestContext): Promise<Reply> {
    const { words, limit, withPending, ...wanted } = requireValid(parseSearchQuery(context.query), context);
    const { extras, headers } = await views.open(wanted, context);
    const found = await index.search(words, limit, withPending, context.work.pause);
    return jsonArray(context, texts.inSlices(found, extras), headers);
  }
  const row = { ...PUBLIC_READ, credentials: SESSION_OR_TOKEN } as const;
  return [{ ...row, pattern: '/api/search', operationId: 'search', handle: search }];
}

const parseSearchQuery = queryParser((query) => {
  const included = choiceParameter(query, 'include_suggestions', ['true', 'false']);
  return {
    words: requiredTextParameter(query, 'q', 200),
    limit: integerParameter(query, 'limit', 1, 100) ?? 20,
    withPending: included !== 'false',
    includes: parseIncludes(query, INCLUDES),
    filters: [],
    openAt: undefined,
  };
});
