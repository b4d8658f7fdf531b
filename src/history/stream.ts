import type { Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Principal, RequestContext } from '../http/context.ts';
import { HttpError } from '../http/errors.ts';
import type { ChangeStore } from './store.ts';

/** The life of a stream, and the longest silence on it, in milliseconds. */
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
  /**
   * Resolves when there may be something new after the change `at`, or nothing was sent for long, or the stream must end.
   * `sentAt`: when something was sent last, by the monotonic clock.
   */
  readonly wait: (at: number, sentAt: number) => Promise<'new' | 'silence'>;
  /** To be called when the client has read all up to this change. */
  readonly read: (at: number) => void;
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
// A stream takes some 50 microseconds each time it is woken: however fast others write, no more than a tenth of a processor.
const EACH_MS = 0.5;
const WOKEN_AT_ONCE = 20;
// Other processes, such as an import, do not report their writes.
const CHECK_EVERY_MS = 500;
const FARTHEST_BEHIND = 1_000_000;
// To look how far one is behind takes up to two milliseconds.
const CHECKED_AT_ONCE_MS = 5;

/** A stream that is open. */
interface Open extends ChangeStream {
  readonly address: string;
  readonly user: number;
  readonly wake: () => void;
  /** The change at which its client has stood since the last call of this, though there was more to read. */
  readonly standsAt: () => number | undefined;
  readonly socket: Socket;
}

/** The part of a stream that all of them share. */
interface Shared extends StreamTimes {
  /** Whether the stream must end. */
  readonly isOver: (stream: Open) => boolean;
  readonly lastId: () => number;
  readonly wakeAll: () => void;
  readonly closed: (stream: Open) => void;
}

/** Opens no stream yet. */
export function createChangeStreams(
  store: Pick<ChangeStore, 'lastId' | 'lengthAfter'>,
  times: StreamTimes = TIMES,
): ChangeStreams {
  const streams = new Set<Open>();
  let isStopped = false;
  let waking: NodeJS.Timeout | undefined;
  let wokenAt = -Infinity;
  let checking: NodeJS.Timeout | undefined;

  /** Some at a time, each of which then waits for its turn. */
  async function wakeSlices(): Promise<void> {
    let count = 0;
    for (const stream of [...streams]) {
      stream.wake();
      count += 1;
      if (count % WOKEN_AT_ONCE === 0 && !isStopped) await immediate();
    }
  }

  function wakeAll(): void {
    waking = undefined;
    wokenAt = performance.now();
    void wakeSlices();
  }
  const wake = (): void => {
    if (streams.size === 0) return;
    const rest = wokenAt + streams.size * EACH_MS - performance.now();
    waking ??= setTimeout(wakeAll, Math.max(TOGETHER_MS, rest));
  };

  const check = createCheck(streams, store, wake);
  const shared: Shared = {
    ...times,
    lastId: store.lastId,
    wakeAll: wake,
    isOver: (stream) => isStopped || !streams.has(stream),
    closed: (stream) => {
      streams.delete(stream);
      if (streams.size === 0) clearInterval(checking);
    },
  };

  return {
    wake,
    stop: () => {
      isStopped = true;
      clearInterval(checking);
      wakeAll();
    },
    open: (context, principal) => {
      refuseTooMany(streams, context.client.key, principal);
      if (streams.size === 0) checking = setInterval(() => void check(), CHECK_EVERY_MS).unref();
      const stream = openStream(context, principal, shared);
      streams.add(stream);
      return stream;
    },
  };
}

/** The check that is repeated while streams are open; it never rejects, since nothing above a timer would catch that. */
function createCheck(
  streams: ReadonlySet<Open>,
  store: Pick<ChangeStore, 'lastId' | 'lengthAfter'>,
  wake: () => void,
): () => Promise<void> {
  let known: number | undefined;
  let isUnderWay = false;

  async function cutThoseFarBehind(): Promise<void> {
    let started = performance.now();
    for (const stream of [...streams]) {
      if (performance.now() - started > CHECKED_AT_ONCE_MS) {
        await immediate();
        started = performance.now();
      }
      const at = stream.standsAt();
      if (at === undefined || store.lengthAfter(at, stream.user) <= FARTHEST_BEHIND) continue;
      stream.socket.destroy();
      stream.close();
    }
  }

  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      const id = store.lastId();
      if (id !== known) wake();
      known = id;
      await cutThoseFarBehind();
    } catch {
      // The streams fail of the same error, each in its own answer.
      wake();
    } finally {
      isUnderWay = false;
    }
  };
}

function refuseTooMany(streams: ReadonlySet<Open>, address: string, { userId, credential }: Principal): void {
  const all = [...streams];
  const isFull =
    all.length >= IN_ALL ||
    all.filter((stream) => stream.address === address).length >= OF_ADDRESS ||
    all.filter((stream) => stream.user === userId).length >=
      (credential === 'none' ? OF_PLACEHOLDER : OF_USER);
  if (isFull) throw new HttpError(429, 'Too many streams', { 'Retry-After': String(RETRY_SECONDS) });
}

function openStream(
  { client, request: { socket } }: RequestContext,
  principal: Principal,
  { lifetimeMs, silenceMs, isOver, lastId, wakeAll, closed }: Shared,
): Open {
  const until = performance.now() + lifetimeMs;
  let wake: (why: 'new') => void = () => undefined;
  // Undefined until it has waited for more, and while it waits. One that reads is not cut, however far it is behind.
  let standing: number | undefined;
  let stoodAtCheck: number | undefined;

  async function wait(at: number, sentAt: number): Promise<'new' | 'silence'> {
    standing = undefined;
    const silence = Math.max(0, Math.min(sentAt + silenceMs, until) - performance.now());
    let timer: NodeJS.Timeout | undefined;
    const woken = await new Promise<'new' | 'silence'>((resolve) => {
      wake = resolve;
      timer = setTimeout(resolve, silence, 'silence');
      if (isOver(stream)) resolve('new');
      // A change that came while the stream was sending has not woken it.
      else if (lastId() !== at) wakeAll();
    });
    clearTimeout(timer);
    standing = at;
    return woken;
  }

  const close = (): void => {
    socket.off('close', close);
    closed(stream);
    wake('new');
  };
  const stream: Open = {
    address: client.key,
    user: principal.userId,
    socket,
    caller: () => {
      if (isOver(stream) || performance.now() > until) return undefined;
      try {
        return principal.renew();
      } catch (error) {
        if (error instanceof HttpError) return undefined;
        throw error;
      }
    },
    wait,
    close,
    wake: () => {
      wake('new');
    },
    standsAt: () => {
      const before = stoodAtCheck;
      stoodAtCheck = standing;
      return standing === before ? standing : undefined;
    },
    read: (at) => {
      if (standing !== undefined) standing = at;
    },
  };
  // A client may leave before the first piece is read, or while one is sent.
  socket.once('close', close);
  return stream;
}
