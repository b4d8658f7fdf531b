import type { RequestContext } from '../../http/context.ts';
import { badRequest, notFound } from '../../http/errors.ts';
import { writePage } from '../../http/list-replies.ts';
import { type Reply, okText } from '../../http/reply.ts';
import type { CatalogueIndex } from '../../index/catalogue-index.ts';
import type { RowChoice } from '../../index/request.ts';
import type { OwnPlaces } from './filters.ts';
import type { ChosenQuery, CursorScope, MapQuery, PageCursors, PageQuery } from './input.ts';
import type { RestaurantText, RestaurantTexts } from './texts.ts';
import type { Views, Wanted } from './views.ts';

/** The parts of a request that its answer depends on. */
type ReadContext = Pick<RequestContext, 'caller' | 'path' | 'query' | 'work'>;

/** The answers about one restaurant, pages of them, and maps, wherever they are sent. */
export class RestaurantReads {
  readonly #index: CatalogueIndex;
  readonly #texts: RestaurantTexts;
  readonly #views: Views;
  readonly #cursors: PageCursors;
  /** The existing restaurant into which a deleted one was merged. */
  readonly successorOf: (id: number) => number | undefined;

  constructor(
    index: CatalogueIndex,
    texts: RestaurantTexts,
    views: Views,
    cursors: PageCursors,
    successorOf: (id: number) => number | undefined,
  ) {
    this.#index = index;
    this.#texts = texts;
    this.#views = views;
    this.#cursors = cursors;
    this.successorOf = successorOf;
  }

  /** Rejects with 404 if there is no such restaurant, which names the one into which it was merged. */
  async one(id: number, wanted: Wanted, context: Pick<ReadContext, 'caller'>): Promise<Reply> {
    const { extras, headers } = await this.#views.open(wanted, context);
    const text = this.#texts.one(id, extras);
    if (text !== undefined) return okText(text, headers);
    const into = this.successorOf(id);
    throw notFound(
      'Restaurant',
      into === undefined ? {} : { Link: `</api/restaurants/${into}>; rel="canonical"` },
    );
  }

  async page(asked: PageQuery, context: ReadContext): Promise<Reply> {
    const scope: CursorScope = { sort: asked.sort, centre: asked.near, words: asked.words };
    const after = asked.cursor === undefined ? undefined : this.#cursors.open(scope, asked.cursor);
    if (asked.cursor !== undefined && !after) throw badRequest('Invalid cursor');
    const isOpenNow = asked.openAt === 'now';
    const now = (isOpenNow ? after?.now : undefined) ?? Date.now();
    const { extras, own, headers } = await this.#views.open(asked, context, now);
    const { positions, total } = await this.#index.page({
      ...choiceOf(asked, context, now, own),
      withPending: false,
      sort: asked.sort,
      after,
      // One extra, to see whether another page follows.
      limit: asked.limit + 1,
    });
    const positionsById = new Map(positions.map((position) => [position.id, position]));
    const slices = this.#texts.inSlices([...positionsById.keys()], extras, asked.near);
    const cursorBehind = ({ id }: RestaurantText): string => {
      const last = positionsById.get(id);
      if (!last) throw new Error(`restaurant ${id} is not on the page that it ends`);
      return this.#cursors.seal(scope, { ...last, now: isOpenNow ? now : undefined });
    };
    const isPart = positions.length > asked.limit;
    const { map } = asked;
    const more = map && `,"map":${await this.#mapText({ ...asked, map }, context, now, own)}`;
    const source = { slices, cursorBehind, total: () => total, isPart, ...(more !== undefined && { more }) };
    return writePage(context, asked.limit, source, headers);
  }

  async map(asked: MapQuery, context: ReadContext): Promise<Reply> {
    const now = Date.now();
    const { own, headers } = await this.#views.open(asked, context, now);
    return okText(await this.#mapText(asked, context, now, own), headers);
  }

  async #mapText(
    asked: MapQuery,
    context: ReadContext,
    now: number,
    own: OwnPlaces | undefined,
  ): Promise<string> {
    const places = await this.#index.map({ ...choiceOf(asked, context, now, own), ...asked.map });
    return this.#texts.ofMap(places, asked.includes.includes('mine') ? own : undefined);
  }
}

/** The request to the index for a query. */
export function choiceOf(
  { filters, words, near, withPending }: ChosenQuery,
  { work }: Pick<ReadContext, 'work'>,
  now: number,
  own: OwnPlaces | undefined,
): RowChoice {
  const conditions = filters.map(({ condition }) => condition(now, own));
  return { conditions, words, near, withPending, work };
}
