import { setImmediate as immediate } from 'node:timers/promises';
import type { Principal, RequestContext } from '../http/context.ts';
import { HttpError } from '../http/errors.ts';
import { HOUR_MS } from '../kit/time.ts';
import type { ChangeStore } from './store.ts';

/** The life of a stream, and the longest silence on it, in milliseconds. */
export interface StreamTimes {
  readonly lifetimeMs: number;
  readonly silenceMs: number;
}

const TIMES: StreamTimes = { lifetimeMs: HOUR_MS, silenceMs: 25_000 };
const OF_ADDRESS = 8;
const OF_USER = 4;
const OF_PLACEHOLDER = 8;
const IN_ALL = 500;
const RETRY_SECONDS = 30;
// Changes that come together are sent together.
const TOGETHER_MS = 10;
// Waking a stream takes about 50 microseconds, so waking uses at most a tenth of a core, however fast others write.
const EACH_MS = 0.5;
const WOKEN_AT_ONCE = 20;
// Other processes, such as an import, do not report their writes.
const CHECK_EVERY_MS = 500;
const FARTHEST_BEHIND = 1_000_000;
// Measuring how far behind a stream is takes up to two milliseconds.
const CHECKED_AT_ONCE_MS = 5;

/** The open streams of the change log. */
export class ChangeStreams {
  readonly #store: Pick<ChangeStore, 'lastId' | 'lengthAfter'>;
  readonly #times: StreamTimes;
  readonly #streams = new Set<ChangeStream>();
  #isStopped = false;
  #waking: NodeJS.Timeout | undefined;
  #wokenAt = -Infinity;
  #checking: NodeJS.Timeout | undefined;
  #isCheckUnderWay = false;
  #known: number | undefined;

  constructor(store: Pick<ChangeStore, 'lastId' | 'lengthAfter'>, times: StreamTimes = TIMES) {
    this.#store = store;
    this.#times = times;
  }

  /** Throws 429 when the client's address, its user, or the service has too many. */
  open(context: RequestContext, principal: Principal): ChangeStream {
    const all = [...this.#streams];
    const mostOfUser = principal.credential === 'none' ? OF_PLACEHOLDER : OF_USER;
    const isFull =
      all.length >= IN_ALL ||
      all.filter(({ address }) => address === context.client.key).length >= OF_ADDRESS ||
      all.filter(({ user }) => user === principal.userId).length >= mostOfUser;
    if (isFull) throw new HttpError(429, 'Too many streams', { 'Retry-After': String(RETRY_SECONDS) });
    if (all.length === 0) this.#checking = setInterval(() => void this.#check(), CHECK_EVERY_MS).unref();
    const stream = new ChangeStream(this, this.#times, context, principal);
    this.#streams.add(stream);
    if (this.#isStopped) stream.close();
    return stream;
  }

  /** Ends all streams; new ones end at once. */
  stop(): void {
    this.#isStopped = true;
    for (const stream of [...this.#streams]) stream.close();
  }

  /** Call this after each commit with a change; the streams send it some milliseconds later. */
  wake(): void {
    if (this.#streams.size === 0 || this.#waking) return;
    const rest = this.#wokenAt + this.#streams.size * EACH_MS - performance.now();
    this.#waking = setTimeout(() => void this.#wakeAll(), Math.max(TOGETHER_MS, rest));
  }

  /** Wakes the streams if a change came after this one. */
  wakeIfAfter(at: number): void {
    if (this.#store.lastId() !== at) this.wake();
  }

  remove(stream: ChangeStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size === 0) clearInterval(this.#checking);
  }

  /** Wakes some at a time, each of which then waits for its turn. */
  async #wakeAll(): Promise<void> {
    this.#waking = undefined;
    this.#wokenAt = performance.now();
    for (const [index, stream] of [...this.#streams].entries()) {
      stream.wake();
      if ((index + 1) % WOKEN_AT_ONCE === 0) await immediate();
    }
  }

  /** Never rejects: it runs from a timer, where nothing would catch the error. */
  async #check(): Promise<void> {
    if (this.#isCheckUnderWay) return;
    this.#isCheckUnderWay = true;
    try {
      const id = this.#store.lastId();
      if (id !== this.#known) this.wake();
      this.#known = id;
      await this.#cutThoseFarBehind();
    } catch {
      // The streams fail with the same error, each in its own answer.
      this.wake();
    } finally {
      this.#isCheckUnderWay = false;
    }
  }

  async #cutThoseFarBehind(): Promise<void> {
    let started = performance.now();
    for (const stream of [...this.#streams]) {
      if (performance.now() - started > CHECKED_AT_ONCE_MS) {
        await immediate();
        started = performance.now();
      }
      const at = stream.standsAt();
      if (at !== undefined && this.#store.lengthAfter(at, stream.user) > FARTHEST_BEHIND) stream.cut();
    }
  }
}

export class ChangeStream {
  readonly address: string;
  readonly user: number;
  readonly #streams: ChangeStreams;
  readonly #principal: Principal;
  readonly #socket;
  readonly #silenceMs: number;
  readonly #until: number;
  #isOver = false;
  #wake: (why: 'new') => void = () => undefined;
  // Undefined while it waits for changes. A stream that reads is not cut, however far behind it is.
  #standing: number | undefined;
  #stoodAtCheck: number | undefined;

  constructor(
    streams: ChangeStreams,
    { lifetimeMs, silenceMs }: StreamTimes,
    { client, request }: RequestContext,
    principal: Principal,
  ) {
    this.#streams = streams;
    this.address = client.key;
    this.user = principal.userId;
    this.#principal = principal;
    this.#socket = request.socket;
    this.#silenceMs = silenceMs;
    this.#until = performance.now() + lifetimeMs;
    // A client may disconnect before the first piece is read, or during a send.
    this.#socket.once('close', this.close);
  }

  /** The caller as of now; undefined when the stream must end. */
  caller(): Principal | undefined {
    if (this.#isOver || performance.now() > this.#until) return undefined;
    try {
      return this.#principal.renew();
    } catch (error) {
      if (error instanceof HttpError) return undefined;
      throw error;
    }
  }

  /**
   * Resolves if there may be changes after `at`, if nothing was sent for too long, or if the stream must end. `sentAt` is
   * the time of the last send by the monotonic clock.
   */
  async wait(at: number, sentAt: number): Promise<'new' | 'silence'> {
    this.#standing = undefined;
    const silence = Math.max(0, Math.min(sentAt + this.#silenceMs, this.#until) - performance.now());
    let timer: NodeJS.Timeout | undefined;
    const woken = await new Promise<'new' | 'silence'>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, silence, 'silence');
      if (this.#isOver) resolve('new');
      // A change that came while the stream was sending has not woken it.
      else this.#streams.wakeIfAfter(at);
    });
    clearTimeout(timer);
    this.#standing = at;
    return woken;
  }

  /** Call this when the client has read everything up to this change. */
  read(at: number): void {
    if (this.#standing !== undefined) this.#standing = at;
  }

  wake(): void {
    this.#wake('new');
  }

  /** The change at which the client has been stuck since the previous call although there was more to read. */
  standsAt(): number | undefined {
    const before = this.#stoodAtCheck;
    this.#stoodAtCheck = this.#standing;
    return this.#standing === before ? this.#standing : undefined;
  }

  cut(): void {
    this.#socket.destroy();
    this.close();
  }

  readonly close = (): void => {
    this.#isOver = true;
    this.#socket.off('close', this.close);
    this.#streams.remove(this);
    this.wake();
  };
}
