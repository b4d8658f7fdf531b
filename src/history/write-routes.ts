import { OWN } from '../http/conditional.ts';
import {
  type Principal,
  type RequestContext,
  idInPath,
  permitOf,
  writerForThread,
  writerOf,
} from '../http/context.ts';
import { conflict, forbidden, notFound, requireValid, unauthorized } from '../http/errors.ts';
import { BY_ID, jsonPieces, pageReply } from '../http/list-replies.ts';
import { type Reply, noContent, okText, withChange } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { parseNothing } from '../kit/input/fields.ts';
import type { Sealer } from '../kit/input/sealed.ts';
import type { Answers } from '../storage/answers.ts';
import type { Transactions } from '../storage/transaction.ts';
import { parseBatchQuery } from './input.ts';
import type { History } from './open.ts';
import { type BatchRow, type ChangeRow, batchJson, isPersonal, isPrivate, isReadable } from './record.ts';
import { type BatchRevertOutcome, revertInThread } from './revert-thread.ts';
import { RevertRefused, batchRefusal, changeRefusal } from './revert.ts';
import { viewerOf } from './routes.ts';

export interface ChangeWriteRouteOptions extends History {
  readonly transactions: Pick<Transactions, 'write'>;
  /** WRITE_ACCESS=admins */
  readonly adminsOnly: boolean;
  /** Seals the cursors of the list of batches. */
  readonly sealer: Sealer;
  readonly showsAuthors: boolean;
  /** The folder in which a batch is undone, on a connection of its own. */
  readonly dataFolder: string;
  readonly trashDays: number;
  readonly answers: Pick<Answers, 'clearAll'>;
  /** Called after each purge: what it removed is still in stored answers and in the write-ahead log. */
  readonly purged: () => void;
  /** Called after each revert and purge: files may be due, categories may be gone. */
  readonly done: () => void;
}

// With more, other writes would wait for too long.
const MOST_CHANGES = 10_000;

/** `/api/changes/{id}/revert`, `/api/changes/{id}/purge`, and `/api/batches`. */
export function changeWriteRoutes(options: ChangeWriteRouteOptions): readonly Route[] {
  const write = { method: 'POST', body: 'jsonOrEmpty', limit: 'api', access: 'user' } as const;
  const read = { method: 'GET', body: 'none', limit: 'api', access: 'admin' } as const;
  const revert = { ...write, access: 'admin' } as const;
  const one = '/api/changes/:id';
  const batch = '/api/batches/:id';
  const bound =
    (handle: Handler): Route['handle'] =>
    (context) =>
      handle(context, options);
  return [
    { ...write, pattern: `${one}/revert`, operationId: 'revertChange', handle: bound(revertChange) },
    { ...write, pattern: `${one}/purge`, operationId: 'purgeChange', handle: bound(purgeChange) },
    { ...read, pattern: '/api/batches', operationId: 'listBatches', handle: bound(listBatches) },
    { ...read, pattern: batch, operationId: 'getBatch', handle: bound(getBatch) },
    { ...revert, pattern: `${batch}/revert`, operationId: 'revertBatch', handle: bound(revertBatch) },
  ];
}

type Handler = (context: RequestContext, options: ChangeWriteRouteOptions) => Reply | Promise<Reply>;

async function revertChange(context: RequestContext, options: ChangeWriteRouteOptions): Promise<Reply> {
  const { log, store, reverter, showsAuthors, done } = options;
  const id = idInPath(context.parameters, 'id', 'change');
  requireValid(parseNothing(context.body), context);
  const viewer = viewerOf(context.principal, showsAuthors);
  const { result, changeId } = await log
    .write(writerOf(context), (write) => {
      reverter.revertWrite(allowed(id, context.principal, options), write);
      const changeId = write.changeId();
      const all = changeId === undefined ? [] : store.ofWrite(changeId);
      const rows = all.filter((row) => isReadable(row, write.userId));
      const made = rows.find(({ reverts }) => reverts === id) ?? rows[0];
      if (!made) throw notFound('Change');
      const isKeyed = context.idempotency !== undefined;
      const answer = isKeyed ? withChange(okText(store.textFor(made, viewer)), changeId) : undefined;
      return { made, stored: answer && context.storeAnswer(answer) };
    })
    .catch((error: unknown) => {
      if (!(error instanceof RevertRefused)) throw error;
      throw conflict(changeRefusal(id, error.obstacles));
    });
  done();
  const { made, stored } = result;
  if (stored) return stored;
  return withChange(await jsonPieces(context, store.piecesFor(made, viewer)), changeId);
}

async function purgeChange(context: RequestContext, options: ChangeWriteRouteOptions): Promise<Reply> {
  const id = idInPath(context.parameters, 'id', 'change');
  requireValid(parseNothing(context.body), context);
  const reply = await options.transactions.write(() => {
    context.recheck();
    const row = ownDeletion(id, context.principal, options) ?? allowed(id, context.principal, options);
    if (row.action !== 'delete') throw conflict(`Change ${id} deleted nothing`);
    if (row.reverted_by !== null) throw conflict(`Change ${id} was reverted by change ${row.reverted_by}`);
    requireOwnContent(row, context.principal, options);
    options.purges.purge(row, { at: new Date().toISOString(), userId: context.principal?.userId ?? null });
    options.answers.clearAll();
    return context.storeAnswer(noContent());
  });
  options.done();
  options.purged();
  return reply;
}

/** The deletion of a rating, photo or suggestion that the caller wrote, no matter who deleted it. */
function ownDeletion(
  id: number,
  principal: Principal | undefined,
  { store }: ChangeWriteRouteOptions,
): ChangeRow | undefined {
  const row = store.get(id);
  const isOwn = row && principal && isPersonal(row.kind) && row.owner_id === principal.userId;
  return isOwn && row.action === 'delete' ? row : undefined;
}

/** Throws 403 where a user who is no administrator would purge what belongs to others. */
function requireOwnContent(
  row: ChangeRow,
  principal: Principal | undefined,
  { store }: ChangeWriteRouteOptions,
): void {
  // The placeholder of mode none stands for all users.
  if (!principal || principal.isAdmin || principal.credential === 'none') return;
  const { userId } = principal;
  const isOthers = isPersonal(row.kind)
    ? row.owner_id !== userId
    : row.kind === 'restaurant' && store.belongsToOthers(row.entity_id, userId);
  if (isOthers) throw forbidden('Only an administrator may purge what belongs to others');
}

/** The change, all of whose write the caller may undo. Throws 404 or 403 otherwise. */
function allowed(
  id: number,
  principal: Principal | undefined,
  { store, adminsOnly }: ChangeWriteRouteOptions,
): ChangeRow {
  const row = store.get(id);
  if (!row || !principal || !isReadable(row, principal.userId)) throw notFound('Change');
  // A write may have changed lists of others along with what the caller reads; they are no obstacle.
  const readable = store.ofWrite(row.write_id).filter((one) => isReadable(one, principal.userId));
  if (!readable.every((one) => mayRevert(one, principal, adminsOnly)))
    throw forbidden('This change is not yours to revert');
  return row;
}

/**
 * Whether a caller may undo a change that the caller may read: those may who may do the opposite write. With `adminsOnly`, others than
 * administrators may undo only their own changes. A changed rating is undone by its author alone, and a deleted rating,
 * photo or suggestion comes back by the user who deleted it, or by an administrator.
 */
function mayRevert(
  { kind, action, actor_id, owner_id }: ChangeRow,
  { userId, isAdmin, credential }: Principal,
  adminsOnly: boolean,
): boolean {
  // The placeholder of mode none stands for all users.
  if (credential === 'none' || isPrivate(kind)) return true;
  if (kind === 'rating' && action === 'update') return owner_id === userId;
  const isOwn = actor_id === userId;
  if (isPersonal(kind) && action === 'delete') return isAdmin || isOwn;
  if (isAdmin || !adminsOnly) return true;
  const isModeration = kind === 'suggestion' && action === 'update';
  return isOwn && isPersonal(kind) && !isModeration && owner_id === userId;
}

function listBatches(context: RequestContext, options: ChangeWriteRouteOptions): Promise<Reply> {
  const { store, sealer, showsAuthors } = options;
  const viewer = viewerOf(context.principal, showsAuthors);
  const list = {
    ...{ scope: 'batches', cursors: sealer, keys: BY_ID, start: Number.MAX_SAFE_INTEGER },
    ...{ read: store.batches, total: store.countBatches },
    render: (batch: BatchRow) => batchJson(batch, viewer),
  };
  return pageReply(context, requireValid(parseBatchQuery(context.query), context), list, OWN);
}

function getBatch({ parameters, principal }: RequestContext, options: ChangeWriteRouteOptions): Reply {
  const batch = options.store.batch(idInPath(parameters, 'id', 'batch'));
  if (!batch) throw notFound('Batch');
  const viewer = viewerOf(principal, options.showsAuthors);
  return okText(JSON.stringify(batchJson(batch, viewer)), OWN);
}

async function revertBatch(context: RequestContext, options: ChangeWriteRouteOptions): Promise<Reply> {
  const { store, dataFolder, trashDays, showsAuthors, done } = options;
  const id = idInPath(context.parameters, 'id', 'batch');
  requireValid(parseNothing(context.body), context);
  const batch = store.batch(id);
  if (!batch) throw notFound('Batch');
  if (batch.changes > MOST_CHANGES)
    throw conflict(`Batch ${id} is too large; run: catalogue revert --batch ${id}`);
  const outcome = await revertInThread({
    ...{ dataFolder, trashDays, batchId: id, writer: writerForThread(context), permit: permitOf(context) },
    viewer: viewerOf(context.principal, showsAuthors),
    keyed: context.idempotency?.request(),
  });
  done();
  const { body, changeId } = requireDone(id, outcome, context);
  return withChange(okText(body), changeId);
}

/** Throws 409 with the first obstacles, 401 or 403 where the caller's rights ended, or the error of the storage. */
function requireDone(
  id: number,
  outcome: BatchRevertOutcome,
  { recheck }: RequestContext,
): Extract<BatchRevertOutcome, { readonly outcome: 'done' }> {
  switch (outcome.outcome) {
    case 'done':
      return outcome;
    case 'refused':
      throw conflict(batchRefusal(id, outcome.obstacles));
    case 'notPermitted':
      recheck();
      throw unauthorized('Invalid token');
    case 'failed':
      throw Object.assign(new Error(outcome.reason), { code: outcome.code });
  }
}
