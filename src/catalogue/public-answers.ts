import { setImmediate } from 'node:timers/promises';
import { HttpError, requireValid, unauthorized } from '../http/errors.ts';
import { Handling } from '../http/handling.ts';
import type { Reply } from '../http/reply.ts';
import type { Lookups } from '../index/lookups.ts';
import type { StartArea } from '../index/request.ts';
import type { Parsed } from '../kit/input/fields.ts';
import type { CatalogueParts } from './parts.ts';
import { parseOneQuery, parsePageQuery } from './restaurants/input.ts';

// The caller is not signed in, and the work is no request that has to share the time with others.
const STRANGER = {
  caller: () => Promise.reject(unauthorized('Authentication required')),
  work: { turn: () => undefined, pause: () => setImmediate() },
};

/** The bodies that the API answers to strangers, as JSON, for pages that carry them. */
export class PublicAnswers {
  readonly #parts: Pick<CatalogueParts, 'index' | 'reads'>;
  /** Changes with every write, whichever process makes it. */
  readonly version: () => string;

  constructor(parts: Pick<CatalogueParts, 'index' | 'reads'>, version: () => string) {
    this.#parts = parts;
    this.version = version;
  }

  /** That of `/categories` or `/food-types`. */
  lookups(kind: keyof Lookups): string {
    return `[${Array.from(this.#parts.index.lookups()[kind].values(), ({ json }) => json).join()}]`;
  }

  /** That of `/restaurants/{id}` with a query; undefined if there is no such restaurant. */
  async restaurant(id: number, query: string): Promise<string | undefined> {
    try {
      return bodyOf(await this.#parts.reads.one(id, valid(parseOneQuery(query)), STRANGER));
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** The existing restaurant into which a deleted one was merged. */
  successorOf(id: number): number | undefined {
    return this.#parts.reads.successorOf(id);
  }

  /** That of `/restaurants/paginated` with a query. */
  async page(query: string): Promise<string> {
    const context = { ...STRANGER, path: '/api/restaurants/paginated', query };
    return bodyOf(await this.#parts.reads.page(valid(parsePageQuery(query)), context));
  }

  /** The area at which the list of all restaurants begins. */
  startArea(): Promise<StartArea> {
    return this.#parts.index.startArea();
  }
}

const valid = <Value>(result: Parsed<Value>): Value =>
  requireValid(result, { handling: new Handling(undefined) });

function bodyOf(reply: Reply): string {
  if (reply.kind !== 'bytes') throw new Error('a page cannot carry a stream');
  return reply.body.toString();
}
