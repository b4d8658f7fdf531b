import { type Principal, type RequestContext, idInPath, writerOf } from '../http/context.ts';
import { badRequest, conflict, forbidden, notFound, requireValid } from '../http/errors.ts';
import { type Reply, noContent, ok, okText, withChange } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { nextLink } from '../http/target.ts';
import type { Sealer } from '../input/sealed.ts';
import type { Transactions } from '../storage/transaction.ts';
import { runInThread } from '../threads.ts';
import { parseBatchQuery } from './input.ts';
import type { History } from './open.ts';
import type { RevertRule } from './permission.ts';
import type { Purger } from './purge.ts';
import { type ChangeRow, batchJson, changeText } from './record.ts';
import {
  type BatchRevert,
  type BatchRevertOutcome,
  batchRefusal,
  changeRefusal,
  readOutcome,
} from './revert-outcome.ts';
import { RevertRefused } from './revert.ts';
import { PRIVATE, viewerOf } from './routes.ts';

export interface ChangeWriteRouteOptions extends History {
  readonly purger: Purger;
  readonly transactions: Pick<Transactions, 'write'>;
  readonly mayRevert: RevertRule;
  /** Seals the cursors of the list of batches. */
  readonly sealer: Sealer;
  readonly showsAuthors: boolean;
  /** Where a batch is undone, on a connection of its own. */
  readonly dataFolder: string;
  readonly trashDays: number;
  /** Called after each revert and purge: files may be due, categories may be gone. */
  readonly done: () => void;
}

// More would keep other writes waiting for too long.
const MOST_CHANGES = 10_000;
const BATCH_SCOPE = 'batches';
const THREAD = new URL(`./revert-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url)
  .href;

/** What undoes and forgets changes, and `/api/batches` (CONTRACT-2, section A). */
export function changeWriteRoutes(options: ChangeWriteRouteOptions): readonly Route[] {
  const write = { method: 'POST', body: 'jsonOrEmpty', limit: 'api' } as const;
  const read = { method: 'GET', body: 'none', limit: 'api', access: 'admin' } as const;
  const one = '/api/changes/:id';
  const batch = '/api/batches/:id';
  return [
    {
      ...{ ...write, access: 'user', pattern: `${one}/revert`, operationId: 'revertChange' },
      handle: (context) => revertChange(context, options),
    },
    {
      ...{ ...write, access: 'user', pattern: `${one}/purge`, operationId: 'purgeChange' },
      handle: (context) => purgeChange(context, options),
    },
    {
      ...{ ...read, pattern: '/api/batches', operationId: 'listBatches' },
      handle: (context) => listBatches(context, options),
    },
    {
      ...{ ...read, pattern: batch, operationId: 'getBatch' },
      handle: (context) => getBatch(context, options),
    },
    {
      ...{ ...write, access: 'admin', pattern: `${batch}/revert`, operationId: 'revertBatch' },
      handle: (context) => revertBatch(context, options),
    },
  ];
}

async function revertChange(context: RequestContext, options: ChangeWriteRouteOptions): Promise<Reply> {
  const { log, store, reverter, showsAuthors, done } = options;
  const id = idInPath(context.parameters, 'id', 'change');
  const { changeId } = await log
    .write(writerOf(context), (write) => {
      reverter.revertWrite(allowed(id, context.principal, options), write);
    })
    .catch((error: unknown) => {
      if (!(error instanceof RevertRefused)) throw error;
      throw conflict(changeRefusal(id, error.obstacles));
    });
  done();
  const rows = changeId === undefined ? [] : store.ofWrite(changeId);
  const made = rows.find(({ reverts }) => reverts === id) ?? rows[0];
  if (!made) throw notFound('Change');
  return withChange(okText(changeText(made, viewerOf(context.principal, showsAuthors))), changeId);
}

async function purgeChange(context: RequestContext, options: ChangeWriteRouteOptions): Promise<Reply> {
  const id = idInPath(context.parameters, 'id', 'change');
  await options.transactions.write(() => {
    const row = allowed(id, context.principal, options);
    if (row.action !== 'delete') throw conflict(`Change ${id} deleted nothing`);
    if (row.reverted_by !== null) throw conflict(`Change ${id} was reverted by change ${row.reverted_by}`);
    options.purger.purge(row);
  });
  options.done();
  return noContent();
}

/** The change, all of whose write the caller may undo. Throws 404 or 403 otherwise. */
function allowed(
  id: number,
  principal: Principal | undefined,
  { store, mayRevert }: ChangeWriteRouteOptions,
): ChangeRow {
  const row = store.get(id);
  if (!row || !principal) throw notFound('Change');
  if (!store.ofWrite(row.write_id).every((one) => mayRevert(one, principal)))
    throw forbidden('This change is not yours to revert');
  return row;
}

function listBatches({ path, query, principal }: RequestContext, options: ChangeWriteRouteOptions): Reply {
  const { store, sealer, showsAuthors } = options;
  const { limit, cursor } = requireValid(parseBatchQuery(query));
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : sealer.open(BATCH_SCOPE, cursor);
  if (typeof before !== 'number') throw badRequest('Invalid cursor');
  const found = store.batches(before, limit + 1);
  const batches = found.slice(0, limit);
  const last = found.length > limit ? batches.at(-1) : undefined;
  const next = last ? sealer.seal(BATCH_SCOPE, last.id) : null;
  const viewer = viewerOf(principal, showsAuthors);
  const page = {
    data: batches.map((batch) => batchJson(batch, viewer)),
    next_cursor: next,
    has_more: last !== undefined,
    total: store.countBatches(),
  };
  const link = next === null ? undefined : nextLink(path, query, next);
  return okText(JSON.stringify(page), { ...PRIVATE, ...(link !== undefined && { Link: link }) });
}

function getBatch({ parameters, principal }: RequestContext, options: ChangeWriteRouteOptions): Reply {
  const batch = options.store.batch(idInPath(parameters, 'id', 'batch'));
  if (!batch) throw notFound('Batch');
  const viewer = viewerOf(principal, options.showsAuthors);
  return okText(JSON.stringify(batchJson(batch, viewer)), PRIVATE);
}

async function revertBatch(context: RequestContext, options: ChangeWriteRouteOptions): Promise<Reply> {
  const { store, dataFolder, trashDays, showsAuthors, done } = options;
  const id = idInPath(context.parameters, 'id', 'batch');
  const batch = store.batch(id);
  if (!batch) throw notFound('Batch');
  if (batch.changes > MOST_CHANGES)
    throw conflict(`Batch ${id} is too large; run: catalogue revert --batch ${id}`);
  const work: BatchRevert = { dataFolder, trashDays, batchId: id, writer: writerOf(context) };
  const outcome = readOutcome(await runInThread(THREAD, 'revertBatch', work, 'reverts a batch'));
  done();
  const made = store.batch(revertedAs(id, outcome));
  if (!made) throw new Error('the batch of a revert is gone');
  return withChange(
    ok(batchJson(made, viewerOf(context.principal, showsAuthors))),
    store.firstOfBatch(made.id),
  );
}

/** The new batch. Throws 409 with the first obstacles, and what the storage failed of as it is. */
function revertedAs(id: number, outcome: BatchRevertOutcome): number {
  switch (outcome.outcome) {
    case 'done':
      return outcome.batchId;
    case 'refused':
      throw conflict(batchRefusal(id, outcome.obstacles));
    case 'failed':
      throw Object.assign(new Error(outcome.reason), { code: outcome.code });
  }
}
