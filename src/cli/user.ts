import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isEmail, parseRegistration } from '../people/accounts/input.ts';
import { Passwords, passwordFaults } from '../people/accounts/passwords.ts';
import type { SecretCounts } from '../people/accounts/secrets.ts';
import { SessionStore } from '../people/accounts/sessions.ts';
import { LAST_ADMINISTRATOR, type User, UserStore } from '../people/accounts/users.ts';
import { History } from '../history/history.ts';
import { counted } from '../kit/sentences.ts';
import { ListStore } from '../people/lists/store.ts';
import { AdoptionRefused, adopt as adoptAll } from '../people/own/adoption.ts';
import { Erasures } from '../people/own/erasure.ts';
import { COMMAND_LINE } from '../storage/change-log.ts';
import type { Storage } from '../storage/storage.ts';
import { type Command, CommandError, FLAG, TEXT, UsageError } from './command.ts';
import { loadSettings, withCatalogue } from './settings.ts';
import { complain, print, table } from './terminal.ts';

const OPTIONS = {
  username: TEXT,
  'full-name': TEXT,
  admin: FLAG,
  'api-tokens': FLAG,
  'delete-contributions': FLAG,
};

const EMPTY_TRIES = 20;
const EMPTY_RETRY_MS = 500;

type Accounts = ReturnType<typeof openAccounts>;
type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
type Action = (email: string, accounts: Accounts, options: Options) => void | Promise<void>;

// Actions on one user, named by email.
const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['create', create],
  ['grant-admin', (email, accounts) => setAdmin(email, accounts, true)],
  ['revoke-admin', (email, accounts) => setAdmin(email, accounts, false)],
  ['activate', (email, accounts) => setActive(email, accounts, true)],
  ['deactivate', (email, accounts) => setActive(email, accounts, false)],
  ['reset-password', resetPassword],
  ['sessions', listSessions],
  ['end-sessions', endSessions],
  ['end-access', endAccess],
  ['adopt', adopt],
  ['delete', remove],
]);

export const command: Command = {
  summary: 'see and change accounts',
  help: [
    'Usage: catalogue user list',
    '       catalogue user create EMAIL [--username NAME] [--full-name NAME] [--admin]',
    '       catalogue user grant-admin | revoke-admin EMAIL',
    '       catalogue user activate | deactivate EMAIL',
    '       catalogue user reset-password EMAIL',
    '       catalogue user sessions EMAIL',
    '       catalogue user end-sessions | end-access EMAIL',
    '       catalogue user adopt EMAIL',
    '       catalogue user delete EMAIL [--delete-contributions]',
    '',
    'The service may be running; changes apply from its next request on. Deactivating a user and resetting a password end all',
    'sessions of the user; resetting a password also ends API tokens and feeds. End-access ends all of them, and links to lists',
    'and outings. Deleting an account also removes its user from the change log; ratings, photos and suggestions stay,',
    'without an author. The last administrator can be neither deactivated nor deleted. Passwords are asked for at the terminal,',
    'or read from the first line of standard input.',
    '',
    "Adopt makes the lists, visits and outings from the time without accounts (AUTH_MODE=none) the user's own.",
    '',
    '  --username NAME   by default, the part of EMAIL before the @',
    '  --full-name NAME  the name shown to others',
    '  --admin           make the user an administrator',
    '  --api-tokens      with end-sessions: the same as end-access',
    '  --delete-contributions',
    '                    also delete ratings, photos and suggestions, for good',
  ].join('\n'),
  run: async (args) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const [name = '', email, ...more] = positionals;
    const action = ACTIONS.get(name);
    if (!action && name !== 'list') throw new UsageError('user takes list, or an action and an email');
    if (more.length > 0 || (email === undefined) !== (name === 'list'))
      throw new UsageError(name === 'list' ? 'user list takes no email' : `user ${name} takes one email`);
    const { trashDays } = loadSettings().config.history;
    await withCatalogue(async (storage) => {
      const accounts = openAccounts(storage, trashDays);
      if (action && email !== undefined) await action(email, accounts, values);
      else list(accounts);
    });
  },
};

function openAccounts(storage: Storage, trashDays: number) {
  const { queries, transactions } = storage;
  const users = new UserStore(queries);
  const sessions = new SessionStore(queries.file('accounts'), false);
  const history = new History(storage, trashDays);
  // A running server removes the files.
  const removals = history.removals('cli', () => undefined);
  const userOf = (email: string): User => {
    const found = users.findByEmail(email)?.user;
    if (!found) throw new CommandError(`there is no user with the email ${email}`);
    return found;
  };
  return {
    storage,
    users,
    userOf,
    log: history.log,
    queries,
    sessions,
    erasures: new Erasures(storage, removals, users, complain),
    passwords: new Passwords(),
    transactions,
    /** Changes a user; throws a CommandError if the email is unknown. */
    change: <Result>(email: string, work: (id: number, now: string) => Result): Promise<Result> =>
      transactions.write(() => work(userOf(email).id, new Date().toISOString())),
  };
}

function list({ users }: Accounts): void {
  const rows = users
    .list()
    .map((user) => [
      String(user.id),
      user.email,
      user.username,
      user.provider,
      user.is_admin ? 'yes' : '',
      user.is_active ? 'yes' : '',
      user.last_login_at ?? 'never',
    ]);
  table(['ID', 'EMAIL', 'USERNAME', 'PROVIDER', 'ADMIN', 'ACTIVE', 'LAST LOGIN'], rows);
}

async function create(email: string, accounts: Accounts, options: Options): Promise<void> {
  const { users, passwords, transactions } = accounts;
  if (!isEmail(email)) throw new CommandError(`${email} is not a valid email address`);
  const [localPart = ''] = email.split('@');
  const password = await readPassword(`Password for ${email}: `);
  const parsed = parseRegistration({
    email,
    username: options.username ?? localPart,
    password,
    full_name: options['full-name'],
  });
  if (!parsed.ok) throw new CommandError(parsed.faults.join('\n'));
  const { email: address, fullName } = parsed.value;
  const passwordHash = await passwords.hash(password);
  const user = await transactions.write(() => {
    const wish = parsed.value.username;
    const username = options.username === undefined ? users.freeUsername(wish) : wish;
    const taken = users.taken(address, username);
    if (taken.includes('email')) throw new CommandError(`a user with the email ${address} already exists`);
    if (taken.includes('username'))
      throw new CommandError(`a user with the username ${username} already exists`);
    // The operator vouches for the address.
    const own = { email: address, username, fullName, passwordHash, emailVerified: true };
    return users.create({ ...own, isAdmin: options.admin === true }, new Date().toISOString());
  });
  print(
    `Created ${user.is_admin ? 'administrator' : 'user'} ${user.email} (${user.username}, id ${user.id}).`,
  );
}

async function setAdmin(email: string, { users, change }: Accounts, isAdmin: boolean): Promise<void> {
  await change(email, (id, now) => {
    users.setAdmin(id, isAdmin, now);
  });
  print(`${email} is ${isAdmin ? 'an administrator now' : 'no longer an administrator'}.`);
}

async function setActive(email: string, accounts: Accounts, isActive: boolean): Promise<void> {
  const { users, change } = accounts;
  const ended = await change(email, (id, now) => {
    const sessions = users.setActive(id, isActive, now);
    if (sessions === undefined) throw new CommandError(LAST_ADMINISTRATOR);
    return sessions;
  });
  print(
    isActive ? `${email} is active now.` : `${email} is inactive now; ${counted(ended, 'session')} ended.`,
  );
}

async function resetPassword(email: string, accounts: Accounts): Promise<void> {
  const { users, userOf, passwords, change } = accounts;
  const owner = userOf(email);
  const password = await readPassword(`New password for ${email}: `);
  const faults = passwordFaults(password, owner);
  if (faults.length > 0) throw new CommandError(faults.join('\n'));
  const passwordHash = await passwords.hash(password);
  const { ended, stillValid } = await change(email, (id) =>
    users.changePassword(id, passwordHash, 'passwordReset'),
  );
  print(`The password of ${email} is changed. Ended: ${listed(ended)}.`);
  const { links } = stillValid;
  if (links > 0)
    print(
      `${counted(links, 'link')} to lists and outings still valid; to end: catalogue user end-access ${email}`,
    );
}

function listSessions(email: string, { userOf, sessions }: Accounts): void {
  const rows = Array.from(
    sessions.listOf(userOf(email).id, new Date()),
    ({ id, created_at, last_used_at, expires_at, ip_address, user_agent }) =>
      [id, created_at, last_used_at, expires_at, ip_address, user_agent].map(String),
  );
  table(['ID', 'CREATED', 'LAST USED', 'EXPIRES', 'ADDRESS', 'USER AGENT'], rows);
}

async function endSessions(email: string, accounts: Accounts, options: Options): Promise<void> {
  if (options['api-tokens'] === true) return endAccess(email, accounts);
  const { users, change } = accounts;
  const { sessions } = await change(email, (id) => users.secrets.end('endSessions', id));
  print(`${counted(sessions, 'session')} of ${email} ended.`);
}

async function endAccess(email: string, { users, change }: Accounts): Promise<void> {
  const ended = await change(email, (id) => users.secrets.end('endAccess', id));
  print(`Ended for ${email}: ${listed(ended)}.`);
}

/** Such as `sessions 2, api tokens 1`; kinds of which there were none are left out. */
function listed(counts: SecretCounts): string {
  const parts = Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? `${kind} ${count}` : []));
  return parts.join(', ').replaceAll('_', ' ') || 'nothing';
}

async function adopt(email: string, { userOf, log, queries }: Accounts): Promise<void> {
  const lists = new ListStore(queries.file('lists'));
  const { result } = await log
    .write(COMMAND_LINE, (write) => adoptAll(queries.file('adoption'), lists, userOf(email).id, write))
    .catch((error: unknown) => {
      throw error instanceof AdoptionRefused ? new CommandError(error.message) : error;
    });
  print(
    `${email} now has ${counted(result.lists, 'list')}, ${counted(result.items, 'item')} of lists that ${email} had, ` +
      `${counted(result.visits, 'visit')}, and ${counted(result.outings, 'outing')} more.`,
  );
}

async function remove(
  email: string,
  { storage, userOf, erasures }: Accounts,
  options: Options,
): Promise<void> {
  const { id } = userOf(email);
  const contributions = options['delete-contributions'] === true ? 'delete' : 'keep';
  if (!(await erasures.erase(id, contributions))) throw new CommandError(LAST_ADMINISTRATOR);
  await emptyLog(storage);
  print(`${email} is deleted.`);
}

/** Empties the write-ahead log, which still has erased data, unless another process reads an older state for too long. */
async function emptyLog(storage: Storage): Promise<void> {
  for (let tries = 0; tries < EMPTY_TRIES; tries += 1) {
    if (storage.emptyLog()) return;
    await sleep(EMPTY_RETRY_MS);
  }
  complain('erased text is still in the write-ahead log');
}

/**
 * A new password: typed twice at a terminal, without echo, or else the first line of standard input. Rejects with a
 * CommandError if there is none or the two differ.
 */
async function readPassword(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return firstLine();
  const password = await ask(prompt);
  if ((await ask('Repeat it: ')) !== password) throw new CommandError('the two passwords differ');
  return password;
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new CommandError('no password on standard input');
}

async function ask(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const output = new PassThrough().resume();
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  try {
    return await new Promise((resolve, reject) => {
      const refuse = (): void => {
        reject(new CommandError('no password was given'));
      };
      lines.once('line', resolve).once('SIGINT', refuse).once('close', refuse);
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
