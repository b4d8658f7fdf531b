import { type OwnerCheck, type ShowAuthor, createShowAuthor } from '../catalogue/authors.ts';
import type { CatalogueParts } from '../catalogue/parts.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../http/log.ts';
import type { Authenticator } from '../http/pipeline.ts';
import type { Route } from '../http/router.ts';
import { Sealer } from '../kit/input/sealed.ts';
import { BackgroundWork } from '../storage/background.ts';
import type { ChangeLog } from '../storage/change-log.ts';
import { skeleton } from '../storage/skeleton.ts';
import type { Storage } from '../storage/storage.ts';
import { ApiTokenStore } from './accounts/api-tokens.ts';
import { LoginAttempts } from './accounts/attempts.ts';
import {
  ANYONE,
  Callers,
  createAuthenticator,
  createOwnerCheck,
  refuseWrites,
} from './accounts/authenticate.ts';
import { InvitationStore } from './accounts/invitations.ts';
import { ownRoutes } from './accounts/own-routes.ts';
import { Passwords } from './accounts/passwords.ts';
import { accountRoutes } from './accounts/routes.ts';
import { SessionStore } from './accounts/sessions.ts';
import { type AccountParts, createAdministrator } from './accounts/sign-in.ts';
import { AccessTokens, loadJose } from './accounts/tokens.ts';
import { invitationRoutes, userRoutes } from './accounts/user-routes.ts';
import { UserStore } from './accounts/users.ts';
import { feedRoutes } from './feeds/routes.ts';
import { FeedStore } from './feeds/store.ts';
import { Identities } from './identity/join.ts';
import { identityRoutes } from './identity/routes.ts';
import { createMarkReader } from './lists/marks.ts';
import { Links } from './links/links.ts';
import { type FileOf, linkRoutes } from './links/routes.ts';
import { Members } from './lists/members.ts';
import type { PlaceText } from './lists/record.ts';
import { listRoutes } from './lists/routes.ts';
import { ListStore } from './lists/store.ts';
import { outingRoutes } from './outings/routes.ts';
import { Outings } from './outings/store.ts';
import { Erasures, type Removals } from './own/erasure.ts';
import { exportRoutes } from './own/routes.ts';
import { visitRoutes } from './visits/routes.ts';
import { VisitStore } from './visits/store.ts';

const CLOSE_EVERY_MS = 1_000;
const CLOSE_AGAIN_MS = 5_000;

/** The accounts of a data folder, and what the catalogue needs to know of people. */
export interface Accounts {
  readonly parts: AccountParts;
  readonly authenticate: Authenticator;
  readonly requireOwner: OwnerCheck;
  readonly showAuthor: ShowAuthor;
  readonly lists: ListStore;
  /** Not to be started for a read-only catalogue. */
  readonly erasures: Erasures;
  /** Loads everything that the first sign-in and token need. */
  readonly loadAhead: () => Promise<unknown>;
}

/** Opens the accounts, and creates the configured first administrator. Rejects if that fails. */
export async function openAccounts(
  storage: Storage,
  removals: Removals,
  { auth, operations, history: { showsAuthors } }: Config,
  { warn: report }: Logger,
  passwords: Passwords = new Passwords(),
): Promise<Accounts> {
  const { queries, transactions, keys } = storage;
  const sql = queries.file('accounts');
  const users = new UserStore(queries);
  const secret = auth.jwtSecret === undefined ? keys('access tokens') : Buffer.from(auth.jwtSecret);
  const erasures = new Erasures(storage, removals, users, report);
  const parts: AccountParts = {
    users,
    sessions: new SessionStore(sql, auth.refreshTokenRotation),
    apiTokens: new ApiTokenStore(sql),
    invitations: new InvitationStore(sql),
    accessTokens: new AccessTokens(secret),
    passwords,
    attempts: new LoginAttempts(),
    transactions,
    erase: (...erasure) => erasures.erase(...erasure),
    localAccounts: auth.mode !== 'oauth',
    withAccounts: auth.mode !== 'none',
    registration: auth.registration,
    report,
  };
  if (auth.administrator && !operations.readOnly)
    await createAdministrator(parts, auth.administrator, report);
  const callers = new Callers(sql);
  const authenticate =
    auth.mode === 'none'
      ? () => ANYONE
      : createAuthenticator(callers, parts.accessTokens, transactions, auth.adminsOnly);
  return {
    parts,
    authenticate: operations.readOnly ? refuseWrites(authenticate, operations.primaryUrl) : authenticate,
    requireOwner: createOwnerCheck(auth.adminsOnly),
    showAuthor: createShowAuthor(showsAuthors),
    lists: new ListStore(queries.file('lists')),
    erasures,
    loadAhead: async () => {
      skeleton('');
      await Promise.all([
        loadJose(),
        // In mode none, accounts of another mode may still sign in.
        parts.localAccounts && passwords.loadAhead(),
      ]);
    },
  };
}

/** Accounts, sign-in, and private data: lists, visits, outings, the export. */
export interface People {
  readonly routes: readonly Route[];
  readonly links: Links;
  /** Decides outings whose voting is over, and removes old ones. Not to be started for a read-only catalogue. */
  readonly closing: BackgroundWork;
}

/** The other rooms that people use. */
interface Neighbours {
  readonly accounts: Accounts;
  readonly catalogue: CatalogueParts;
  readonly changeLog: ChangeLog;
  readonly fileOf: FileOf;
  /** The version of the public catalogue. */
  readonly version: () => string;
}

export function createPeople(
  { queries, transactions, keys }: Storage,
  { auth, history: { showsAuthors }, pages: { name } }: Config,
  { warn: report }: Logger,
  { accounts: { parts, lists }, catalogue, changeLog, fileOf, version }: Neighbours,
): People {
  const placeText = withCovers(catalogue);
  const members = new Members(queries.file('members'));
  const outings = new Outings(queries.file('outings'), catalogue.stores.restaurants, placeText);
  const links = new Links(queries.file('links'), lists, outings, placeText);
  const visits = new VisitStore(queries.file('visits'));
  const feeds = new FeedStore(queries.file('feeds'), parts.withAccounts);
  const instance = keys('calendar entries').toString('hex', 0, 8);
  const identity = {
    ...parts,
    identities: new Identities(queries.file('identities'), parts),
    key: keys('sign-in handshakes'),
    clientRedirectUrl: auth.clientRedirectUrl,
  };
  return {
    links,
    closing: new BackgroundWork({
      transactions,
      next: () => outings.due(),
      idleMs: CLOSE_EVERY_MS,
      retryMs: CLOSE_AGAIN_MS,
      failed: (fields) => {
        report('closing an outing failed', fields);
      },
    }),
    routes: [
      ...accountRoutes(parts, ({ is_admin }) =>
        auth.adminsOnly && !is_admin ? undefined : catalogue.stores.suggestions.countPending(),
      ),
      ...ownRoutes(parts),
      ...userRoutes(parts, new Sealer(keys('user cursors'))),
      ...invitationRoutes(parts),
      ...identityRoutes('idp', auth.idp, identity),
      ...identityRoutes('oidc', auth.oidc, identity),
      ...exportRoutes(queries.file('people'), { ...parts, lists, visits, feeds, outings }, catalogue),
      ...listRoutes(lists, members, createMarkReader(queries.file('lists'), lists), changeLog, placeText),
      ...outingRoutes(
        { outings, lists, transactions, cursors: new Sealer(keys('outing cursors')) },
        catalogue,
      ),
      ...linkRoutes({
        links,
        lists,
        members,
        outings,
        changeLog,
        transactions,
        fileOf,
        name,
        instance,
        clientKey: keys('addresses of guests'),
      }),
      ...feedRoutes({ transactions, feeds, visits, outings, name, version, instance, showsAuthors }),
      ...visitRoutes(visits, changeLog, new Sealer(keys('visit cursors')), placeText),
    ],
  };
}

/** The texts of restaurants, with covers where they are asked for. */
function withCovers({ texts, stores }: CatalogueParts): PlaceText {
  const cover = { name: 'cover', read: (ids: readonly number[]) => stores.photos.covers(ids) };
  return (id, hasCover = false) => texts.one(id, hasCover ? [cover] : []);
}
