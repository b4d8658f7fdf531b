import { readFileSync } from 'node:fs';
import { parseOptions } from '@node-rs/argon2';
import { longerThan } from '../../kit/input/fields.ts';
import { isBlank } from '../../kit/input/sanitise.ts';
import { Queue } from '../../kit/queue.ts';
import { type HashParameters, createHashingThreads } from './hashing-thread.ts';
import { nameKey } from './users.ts';

/** Makes and checks password hashes: Argon2id with parameters of OWASP's password storage cheat sheet or stronger. */
export interface Passwords {
  /** A hash of at most 255 characters. Rejects with an OverloadedError when too many others wait. */
  readonly hash: (password: string) => Promise<string>;
  /**
   * Whether the password is the one that was hashed. Without a hash it takes as long and is never right.
   * Rejects with an OverloadedError when too many others wait.
   */
  readonly verify: (passwordHash: string | undefined, password: string) => Promise<boolean>;
  /** Whether a hash was made with weaker parameters than today's. */
  readonly isWeak: (passwordHash: string) => boolean;
  /** Loads all that the first passwords need. */
  readonly loadAhead: () => Promise<unknown>;
  /** How many are being hashed now, and how many wait for it. */
  readonly load: () => { readonly running: number; readonly waiting: number };
}

/** Characters (code points) that a password may have. A longer one is never right. */
export const PASSWORD_MAX = 256;

const PARAMETERS: HashParameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MIN_LENGTH = 8;
// A hash takes 19 MiB of memory while it runs.
const MAX_RUNNING = 2;
const MAX_WAITING = 32;
const MAX_WAIT_MS = 2_000;

/** The owner of a new password; a name that is not known is empty. */
export interface PasswordOwner {
  readonly email: string;
  readonly username: string;
}

/**
 * The faults of a new password: its length in characters, that it is blank, that it is a name of its owner without case,
 * or that it is one of those that are tried first. Of an over-long one its length alone is a fault.
 */
export function passwordFaults(password: string, owner: PasswordOwner): string[] {
  if (longerThan(password, PASSWORD_MAX)) return [`password must be at most ${PASSWORD_MAX} characters`];
  const isShort = Array.from(password).length < MIN_LENGTH;
  return [
    ...(isShort ? [`password must be at least ${MIN_LENGTH} characters`] : []),
    ...(isBlank(password) ? ['password must not be blank'] : []),
    ...(isNameOf(owner, password) ? ['password must not be your email or username'] : []),
    ...(commonPasswords().has(password.toLowerCase()) ? ['password is too common'] : []),
  ];
}

function isNameOf({ email, username }: PasswordOwner, password: string): boolean {
  const localPart = email.slice(0, Math.max(0, email.lastIndexOf('@')));
  const names = [email, localPart, username].filter((name) => name !== '');
  return names.some((name) => nameKey(name) === nameKey(password));
}

let common: ReadonlySet<string> | undefined;

/** Read when it is first needed, since many processes never need it. */
function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(
    readFileSync(new URL('../../../static/common-passwords.txt', import.meta.url), 'utf8').split('\n'),
  );
  return common;
}

/** Opens the only place where passwords are hashed. */
export function createPasswords(parameters: HashParameters = PARAMETERS): Passwords {
  const threads = createHashingThreads();
  const queue = new Queue({ atOnce: MAX_RUNNING, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS });
  // What is compared when there is no hash, so that an unknown email takes as long as a wrong password.
  let dummy: string | undefined;
  return {
    hash: (password) => queue.run(() => threads.hash(password, parameters)),
    verify: (passwordHash, password) =>
      queue.run(async () => {
        dummy ??= await threads.hash('', parameters);
        const isPossible = passwordHash !== undefined && !longerThan(password, PASSWORD_MAX);
        const matches = await threads.verify(isPossible ? passwordHash : dummy, isPossible ? password : ' ');
        return isPossible && matches;
      }),
    isWeak: (passwordHash) => {
      const made = parseOptions(passwordHash);
      return made.memoryCost < parameters.memoryCost || made.timeCost < parameters.timeCost;
    },
    loadAhead: () => {
      commonPasswords();
      // Each in a thread of its own, which loads the library.
      return Promise.all(Array.from({ length: MAX_RUNNING }, () => threads.hash('', parameters)));
    },
    load: () => queue.load(),
  };
}
