import fc from 'fast-check';
import { type Cleanup, atEnd } from './cleanup.ts';
import { faultsOf } from './conformance.ts';
import { readDescription } from './description.ts';
import { createBreaks } from './fuzz-breaks.ts';
import { type Plan, createPlans, isSetUp } from './fuzz-plans.ts';
import { createPools } from './fuzz-pools.ts';
import { type Report, createReport } from './fuzz-report.ts';
import { type Received, type Sendable, createSender, messageOf, ready } from './fuzz-sender.ts';
import type { Person } from './people.ts';

/** The service, and what it is sent. */
export interface FuzzOptions {
  readonly port: number;
  readonly seed: number;
  /** Whether tokens count. */
  readonly hasAccounts: boolean;
  /** One that exists already. */
  readonly account: Pick<Person, 'email' | 'password'>;
  /** A token that lives for minutes. */
  readonly newToken: () => Promise<string>;
}

// Answered by the HTTP parser, before there is a request that could have an id.
const UNREAD = 431;
const BATCH = 100;
// One seed for each batch.
const SEEDS_APART = 1_000_003;
const MEASURES = 5;
const TOKEN_LASTS = 5_000;
const SOWN = 20;
const WEIGHT = 16;
// Hashing a password takes as long as a hundred other requests; the documentation is large and always the same. What
// is deleted, also along with something else, has to be made more often. Most changes can be undone but once, and
// there are few batches. An import starts a thread.
const WEIGHTS: Readonly<Record<string, number>> = {
  register: 1,
  login: 1,
  logout: 1,
  getDocs: 4,
  getDescriptionAsJson: 4,
  getDescription: 4,
  createSuggestion: 24,
  createRating: 24,
  uploadPhoto: 24,
  createVisit: 8,
  deleteVisit: 4,
  deleteList: 4,
  deleteItem: 8,
  deleteSuggestion: 4,
  deleteRating: 4,
  deletePhoto: 4,
  deleteRestaurant: 12,
  mergeRestaurants: 4,
  beginIdpLogin: 4,
  finishIdpLogin: 4,
  beginOidcLogin: 4,
  beginOidcLoginAlias: 4,
  finishOidcLogin: 4,
  revertChange: 4,
  purgeChange: 2,
  streamChanges: 8,
  listBatches: 4,
  getBatch: 4,
  revertBatch: 1,
  changePassword: 1,
  endAccess: 1,
  resetPassword: 1,
  deleteCurrentUser: 1,
  updateCurrentUser: 1,
  updateUser: 1,
  deleteUser: 1,
  endSessionsOfUser: 1,
  endAccessOfUser: 1,
  createPasswordReset: 1,
  endSession: 1,
  checkInvitation: 1,
  getHealth: 4,
  getPlainHealth: 4,
  importFile: 2,
};

/** Operations that also want a secret, or something else than what they are about, or another user than the placeholder, or another mode than none. */
const MAY_REFUSE: readonly string[] = [
  'changePassword',
  'endAccess',
  'mergeRestaurants',
  'resetPassword',
  'deleteCurrentUser',
  'updateCurrentUser',
  'updateUser',
  'deleteUser',
  'endSessionsOfUser',
  'endAccessOfUser',
  'createPasswordReset',
  'logout',
  'refreshSession',
  'dismissDuplicate',
  'register',
  'createInvitation',
  // Not all places are options, and not all options are open.
  'createOuting',
  'vote',
];

/** What there has to be before other things can be made. */
const MAKERS = [
  'createCategory',
  'createFoodType',
  'createRestaurant',
  'createSuggestion',
  'createRating',
  'uploadPhoto',
  'createApiToken',
  'createList',
  'createVisit',
  'createOuting',
];

/**
 * Sends so many requests made of the description to the service on `port`, one after the other, after some that make
 * a few things of each kind. The same seed makes the same requests of a service that answers the same.
 */
export async function fuzz(t: Cleanup, requests: number, options: FuzzOptions): Promise<Report> {
  const seed = Math.imul(options.seed, SEEDS_APART);
  const description = readDescription();
  const { shapes, good } = createPlans(description);
  const broken = createBreaks(description, options.hasAccounts);
  const pools = createPools(options.account);
  const report = createReport();
  const sender = createSender(options.port);
  atEnd(t, sender.close);
  let token = await options.newToken();

  async function send(plan: Plan): Promise<void> {
    const { operationId } = plan.operation;
    const sendable = ready(plan, pools, token);
    report.noteRequest();
    const received = await sender.send(sendable).catch((error: unknown) => String(error));
    const faults =
      typeof received === 'string' ? [`broke off: ${received}`] : faultsIn(plan, sendable, received);
    for (const fault of faults) report.noteProblem(plan, sendable, fault);
    if (typeof received === 'string') return;
    if (plan.broken === undefined && isSetUp(plan.operation)) report.noteStatus(operationId, received.status);
    pools.learn({ operationId, sendable, received });
  }

  async function sow(): Promise<void> {
    pools.learnAssets(await sender.send({ method: 'GET', target: '/api/docs', headers: {} }));
    const names = [
      ...MAKERS.flatMap((name) => Array<string>(SOWN).fill(name)),
      ...Array<string>(5).fill('register'),
    ];
    for (const [index, name] of names.entries())
      for (const shape of shapes.filter(({ operation }) => operation.operationId === name))
        for (const plan of fc.sample(good(shape), { seed: seed - index, numRuns: 1 })) await send(plan);
  }

  const plans = fc.oneof(
    ...shapes.map((shape) => {
      const fine = good(shape);
      const weight = WEIGHTS[shape.operation.operationId] ?? WEIGHT;
      return { weight, arbitrary: fc.oneof(fine, broken(shape, fine)) };
    }),
  );
  const measured = requests / MEASURES;
  await sow();
  for (let done = 0; done < requests; done += BATCH) {
    if (done % TOKEN_LASTS === 0) token = await options.newToken();
    const batch = fc.sample(plans, { seed: seed + done, numRuns: Math.min(BATCH, requests - done) });
    for (const plan of batch) if (pools.canSpare(plan.method, plan.path)) await send(plan);
    if (done % measured < BATCH) report.noteMemory();
  }
  return report;
}

function faultsIn(plan: Plan, { target }: Sendable, received: Received): string[] {
  const exchange = { ...received, method: plan.method, path: target };
  const faults = received.status === UNREAD ? [] : faultsOf(exchange);
  // Without the request, with which each begins: alike ones shall be counted.
  return [...faults.map((fault) => fault.slice(fault.indexOf(' -> ') + 4)), ...unexpected(plan, received)];
}

/** The fault of an answer that is as documented. */
function unexpected({ expected, operation, broken = 'good' }: Plan, received: Received): string[] {
  const { status } = received;
  if (!isSetUp(operation) && status === 503) return [];
  if (status >= 500) return [`${status} ${messageOf(received)}`];
  if (expected === 'refused' && status < 400) return [`${broken}, but taken with ${status}`];
  const refusals = MAY_REFUSE.includes(operation.operationId) ? [400, 403, 404, 409, 429] : [404, 409, 416];
  const isTaken = status < 400 || refusals.includes(status);
  return expected === 'taken' && !isTaken
    ? [`${broken}, but refused with ${status} ${messageOf(received)}`]
    : [];
}
