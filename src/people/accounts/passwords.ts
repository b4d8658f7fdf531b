import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseOptions } from '@node-rs/argon2';
import { longerThan } from '../../kit/input/fields.ts';
import { isBlank } from '../../kit/input/sanitise.ts';
import { Queue } from '../../kit/queue.ts';
import { Thread } from '../../kit/threads.ts';
import { type User, nameKey } from './users.ts';

/** The cost of one hash: memory in KiB, passes, threads. */
export interface HashParameters {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** The longest password, in characters (code points). A longer one never matches. */
export const PASSWORD_MAX = 256;

const PARAMETERS: HashParameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const INSTALLED = createRequire(import.meta.url).resolve('@node-rs/argon2');
const MIN_LENGTH = 8;
// A hash takes 19 MiB of memory while it runs.
const MAX_RUNNING = 2;
const MAX_WAITING = 32;
const MAX_WAIT_MS = 2_000;

/** The faults of a new password. Pass an unknown email or username as an empty text. */
export function passwordFaults(password: string, owner: Pick<User, 'email' | 'username'>): string[] {
  if (longerThan(password, PASSWORD_MAX)) return [`password must be at most ${PASSWORD_MAX} characters`];
  const isShort = Array.from(password).length < MIN_LENGTH;
  return [
    ...(isShort ? [`password must be at least ${MIN_LENGTH} characters`] : []),
    ...(isBlank(password) ? ['password must not be blank'] : []),
    ...(isNameOf(owner, password) ? ['password must not be your email or username'] : []),
    ...(commonPasswords().has(password.toLowerCase()) ? ['password is too common'] : []),
  ];
}

function isNameOf({ email, username }: Pick<User, 'email' | 'username'>, password: string): boolean {
  const localPart = email.slice(0, Math.max(0, email.lastIndexOf('@')));
  const names = [email, localPart, username].filter((name) => name !== '');
  return names.some((name) => nameKey(name) === nameKey(password));
}

let common: ReadonlySet<string> | undefined;

/** Loaded lazily: many processes never need it. */
function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(
    readFileSync(new URL('../../../static/common-passwords.txt', import.meta.url), 'utf8').split('\n'),
  );
  return common;
}

/**
 * Argon2id in worker threads: one per concurrent call, reused when idle. Calls reject like `Thread.run`.
 *
 * A hash occupies a core for 10 ms or more. In libuv's pool, two concurrent hashes halve the event loop's share of two
 * cores and make the slowest file reads five times slower. Threads of low priority use only the time it leaves over.
 */
export class HashingThreads {
  readonly #code: string;
  readonly #idle: Thread[] = [];

  constructor(library: string = INSTALLED) {
    // Only on Linux do threads have separate priorities; elsewhere this would change the whole process. If the system
    // refuses, the hash runs at normal priority.
    this.#code = `
      const { getPriority, setPriority } = require('node:os');
      if (process.platform === 'linux') {
        try {
          setPriority(0, Math.min(19, getPriority(0) + 5));
        } catch {}
      }
      const argon2 = require(${JSON.stringify(library)});
      return ({ method, args }) => argon2[method](...args);
    `;
  }

  async hash(password: string, parameters: HashParameters): Promise<string> {
    return String(await this.#run('hashSync', password, parameters));
  }

  /** True if the password matches the hash. */
  async verify(passwordHash: string, password: string): Promise<boolean> {
    return (await this.#run('verifySync', passwordHash, password)) === true;
  }

  async #run(method: 'hashSync' | 'verifySync', ...args: readonly unknown[]): Promise<unknown> {
    const thread = this.#idle.pop() ?? new Thread(this.#code, 'hashes passwords');
    try {
      return await thread.run({ method, args });
    } finally {
      this.#idle.push(thread);
    }
  }
}

/**
 * Creates and checks password hashes: Argon2id with the parameters of OWASP's password storage cheat sheet, or stronger.
 * Rejects with an OverloadedError if too many calls wait.
 */
export class Passwords {
  readonly #parameters: HashParameters;
  readonly #threads = new HashingThreads();
  readonly #queue = new Queue({ atOnce: MAX_RUNNING, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS });
  // Checked if there is no hash, so that an unknown email takes as long as a wrong password.
  #dummy: string | undefined;

  constructor(parameters: HashParameters = PARAMETERS) {
    this.#parameters = parameters;
  }

  /** A hash of at most 255 characters. */
  hash(password: string): Promise<string> {
    return this.#queue.run(() => this.#threads.hash(password, this.#parameters));
  }

  /** True if the password matches the hash. Without a hash it takes the same time and returns false. */
  verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    return this.#queue.run(async () => {
      this.#dummy ??= await this.#threads.hash('', this.#parameters);
      const isPossible = passwordHash !== undefined && !longerThan(password, PASSWORD_MAX);
      const matches = await this.#threads.verify(
        isPossible ? passwordHash : this.#dummy,
        isPossible ? password : ' ',
      );
      return isPossible && matches;
    });
  }

  /** Whether a hash has weaker parameters than new ones get. */
  isWeak(passwordHash: string): boolean {
    const made = parseOptions(passwordHash);
    return made.memoryCost < this.#parameters.memoryCost || made.timeCost < this.#parameters.timeCost;
  }

  /** Starts the threads and loads everything that the first passwords need. */
  loadAhead(): Promise<unknown> {
    commonPasswords();
    return Promise.all(Array.from({ length: MAX_RUNNING }, () => this.#threads.hash('', this.#parameters)));
  }

  /** The numbers of running and waiting calls. */
  load(): { readonly running: number; readonly waiting: number } {
    return this.#queue.load();
  }
}
