import { OWN } from '../../http/conditional.ts';
import { type RequestContext, authorIdOf } from '../../http/context.ts';
import { notFound } from '../../http/errors.ts';
import { type View, type Views, type Wanted, isOfTheTime, isPersonal } from './views.ts';

/** A view with the headers of an answer that shows it. */
export interface CallerView extends View {
  readonly headers: Readonly<Record<string, string>>;
}

const OF_THE_TIME = { 'Cache-Control': 'no-cache' };

/** The caller's view, as of an instant in milliseconds. Rejects with 401 where the answer is the caller's own and there is none, 404 for a list of others. */
export async function openView(
  wanted: Wanted,
  { caller }: Pick<RequestContext, 'caller'>,
  views: Views,
  now = Date.now(),
): Promise<CallerView> {
  const isOwn = isPersonal(wanted);
  const view = views.open(wanted, isOwn ? authorIdOf({ principal: await caller() }) : undefined, now);
  if (!view) throw notFound('List');
  return { ...view, headers: isOwn ? OWN : isOfTheTime(wanted) ? OF_THE_TIME : {} };
}
