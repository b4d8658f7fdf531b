import type { Principal, RequestContext } from '../http/context.ts';
import { HttpError } from '../http/errors.ts';
import type { Place } from './cursor.ts';
import type { ChangeStore } from './store.ts';

/** How long streams last and how often something is sent, in milliseconds; a test may bring its own. */
export interface StreamTimes {
  readonly lifetimeMs: number;
  readonly silenceMs: number;
}

/** The streams of the change log that are open. */
export interface ChangeStreams {
  /** To be called after each commit with a change; the streams send what is new some milliseconds later. */
  readonly wake: () => void;
  /** Throws 429 when there are too many of the client's address, of its user, or in all. */
  readonly open: (context: RequestContext, principal: Principal) => ChangeStream;
  /** Ends all streams; new ones end at once. */
  readonly stop: () => void;
}

/** One stream. */
export interface ChangeStream {
  /** The caller as of now; undefined when the stream must end. */
  readonly caller: () => Principal | undefined;
  /** Resolves when there may be something new behind the place, or nothing was sent for long, or the stream must end. */
  readonly wait: (place: Place) => Promise<'new' | 'silence'>;
  readonly close: () => void;
}

const TIMES: StreamTimes = { lifetimeMs: 60 * 60 * 1000, silenceMs: 25_000 };
const OF_ADDRESS = 8;
const OF_USER = 4;
const OF_PLACEHOLDER = 8;
const IN_ALL = 500;
const RETRY_SECONDS = 30;
// Changes that come together are sent together.
const TOGETHER_MS = 10;
// Other processes, such as an import, say nothing when they have written.
const LOOK_EVERY_MS = 500;
const FARTHEST_BEHIND = 1_000_000;

interface Open {
  readonly address: string;
  readonly user: number;
  readonly wake: (why: 'new' | 'silence') => void;
  /** Where a stream waits that has sent all there was; undefined while it sends. */
  waitsAt: Place | undefined;
  /** Where it waited last. */
  wasAt: Place | undefined;
  readonly cut: () => void;
}

/** Opens no stream yet. */
export function createChangeStreams(
  store: Pick<ChangeStore, 'end' | 'lengthAfter'>,
  { lifetimeMs, silenceMs }: StreamTimes = TIMES,
): ChangeStreams {
  const streams = new Set<Open>();
  let isStopped = false;
  let waking: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let known: number | undefined;

  function wakeAll(): void {
    waking = undefined;
    for (const stream of streams) stream.wake('new');
  }

  function wake(): void {
    if (streams.size > 0) waking ??= setTimeout(wakeAll, TOGETHER_MS);
  }

  function look(): void {
    const { id } = store.end();
    if (id !== known) wake();
    known = id;
    for (const stream of streams)
      if (isTooFarBehind(stream)) {
        stream.cut();
        streams.delete(stream);
      }
  }

  function isTooFarBehind({ waitsAt, wasAt }: Open): boolean {
    return !waitsAt && wasAt !== undefined && store.lengthAfter(wasAt) > FARTHEST_BEHIND;
  }

  function remove(stream: Open): void {
    streams.delete(stream);
    if (streams.size === 0) clearInterval(looking);
  }

  function refuseTooMany(address: string, { userId, credential }: Principal): void {
    const all = [...streams];
    const ofUser = credential === 'none' ? OF_PLACEHOLDER : OF_USER;
    const isFull =
      all.length >= IN_ALL ||
      all.filter((stream) => stream.address === address).length >= OF_ADDRESS ||
      all.filter((stream) => stream.user === userId).length >= ofUser;
    if (isFull) throw new HttpError(429, 'Too many streams', { 'Retry-After': String(RETRY_SECONDS) });
  }

  return {
    wake,
    stop: () => {
      isStopped = true;
      for (const stream of streams) stream.wake('new');
    },
    open: ({ client, request }, principal) => {
      refuseTooMany(client.key, principal);
      const until = performance.now() + lifetimeMs;
      let resolve: (why: 'new' | 'silence') => void = () => undefined;
      const stream: Open = {
        address: client.key,
        user: principal.userId,
        wake: (why) => {
          resolve(why);
        },
        waitsAt: undefined,
        wasAt: undefined,
        cut: () => request.socket.destroy(),
      };
      if (streams.size === 0) looking = setInterval(look, LOOK_EVERY_MS).unref();
      streams.add(stream);
      const close = (): void => {
        remove(stream);
        request.socket.off('close', close);
        resolve('new');
      };
      request.socket.once('close', close);
      return {
        caller: () =>
          isStopped || !streams.has(stream) || performance.now() > until ? undefined : principal.renew(),
        close,
        wait: async (place) => {
          stream.waitsAt = stream.wasAt = place;
          const left = Math.min(silenceMs, Math.max(0, until - performance.now()));
          const timer = setTimeout(() => {
            resolve('silence');
          }, left);
          try {
            return await new Promise<'new' | 'silence'>((settle) => {
              resolve = settle;
              // What came while nobody waited has woken nobody.
              if (isStopped || !streams.has(stream) || store.end().id !== place.id) settle('new');
            });
          } finally {
            clearTimeout(timer);
            stream.waitsAt = undefined;
          }
        },
      };
    },
  };
}
