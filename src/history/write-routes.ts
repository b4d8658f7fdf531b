import { MOST_MOVES } from '../catalogue/restaurants/moves.ts';
import {
  type Principal,
  type RequestContext,
  authorIdOf,
  idInPath,
  writeChecked,
  writerOf,
} from '../http/context.ts';
import { conflict, forbidden, requireFound, requireValid } from '../http/errors.ts';
import { BY_ID, jsonPieces, pageReply } from '../http/list-replies.ts';
import { type Reply, noContent, okText, withChange } from '../http/reply.ts';
import { FOR_USER, type Route } from '../http/router.ts';
import { parseNothing } from '../kit/input/fields.ts';
import { replyOfWork, workOf } from '../people/request-thread.ts';
import { parseBatchQuery } from './input.ts';
import { type BatchRow, type ChangeRow, batchJson, isPersonal } from './record.ts';
import { undoInThread } from './revert-thread.ts';
import { type ChangeParts, viewerOf } from './routes.ts';
import { countMoves, requireRevertible, undoWrite } from './undo.ts';

// More would block other writes for too long.
const MOST_CHANGES = 10_000;

/** `/api/changes/{id}/revert`, `/api/changes/{id}/purge`, and `/api/batches`. */
export function changeWriteRoutes(parts: ChangeParts): readonly Route[] {
  const { log, store, purges } = parts.history;
  const { transactions, sealer, showsAuthors, adminsOnly, reverted, purged } = parts;
  const write = { ...FOR_USER, method: 'POST', body: 'jsonOrEmpty' } as const;
  const read = { ...FOR_USER, method: 'GET', body: 'none' } as const;
  const one = '/api/changes/:id';
  const batch = '/api/batches/:id';
  return [
    { ...write, pattern: `${one}/revert`, operationId: 'revertChange', handle: revertChange },
    { ...write, pattern: `${one}/purge`, operationId: 'purgeChange', handle: purgeChange },
    { ...read, pattern: '/api/batches', operationId: 'listBatches', handle: listBatches },
    { ...read, pattern: batch, operationId: 'getBatch', handle: getBatch },
    { ...write, pattern: `${batch}/revert`, operationId: 'revertBatch', handle: revertBatch },
  ];

  async function revertChange(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'change');
    requireValid(parseNothing(context.body), context);
    const viewer = viewerOf(context.principal, showsAuthors);
    if (countMoves(parts.history, id) > MOST_MOVES) {
      log.checkAdded(authorIdOf(context));
      const end = await undoInThread('revertChange', { ...workOf(context, parts), id, viewer });
      reverted();
      return replyOfWork(end, context);
    }
    const { result, changeId } = await log.write(writerOf(context), (write) => {
      const row = requireRevertible(parts.history, id, context.principal, adminsOnly);
      const made = undoWrite(parts.history, row, write);
      // Without the body, which shows what others wrote: the caller may no longer be allowed to read it when it is repeated.
      context.storeAnswer(withChange({ status: 200, headers: {}, kind: 'empty' }, write.changeId()));
      return made;
    });
    reverted();
    return withChange(await jsonPieces(context, store.piecesFor(result, viewer)), changeId);
  }

  async function purgeChange(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'change');
    requireValid(parseNothing(context.body), context);
    const reply = await writeChecked({ transactions }, context, () => {
      const { principal } = context;
      const row = ownDeletion(id, principal) ?? requireRevertible(parts.history, id, principal, adminsOnly);
      if (row.action !== 'delete') throw conflict(`Change ${id} deleted nothing`);
      if (row.reverted_by !== null) throw conflict(`Change ${id} was reverted by change ${row.reverted_by}`);
      requireOwnContent(row, principal);
      purges.purge(row, principal?.userId ?? null);
      return context.storeAnswer(noContent());
    });
    purged();
    return reply;
  }

  /** The deletion of a rating, photo or suggestion that the caller wrote, no matter who deleted it. */
  function ownDeletion(id: number, principal: Principal | undefined): ChangeRow | undefined {
    const row = store.get(id);
    const isOwn = row && principal && isPersonal(row.kind) && row.owner_id === principal.userId;
    return isOwn && row.action === 'delete' ? row : undefined;
  }

  /** Throws 403 where a user who is not an administrator would purge what belongs to others. */
  function requireOwnContent(row: ChangeRow, principal: Principal | undefined): void {
    // The placeholder of mode none stands for all users.
    if (!principal || principal.isAdmin || principal.credential === 'none') return;
    const { userId } = principal;
    const isOthers = isPersonal(row.kind)
      ? row.owner_id !== userId
      : row.kind === 'restaurant' && store.belongsToOthers(deletedWith(row), userId);
    if (isOthers) throw forbidden('Only an administrator may purge what belongs to others');
  }

  /** The restaurants that a write deleted: without one of them, none that were merged can be separated again. */
  function deletedWith({ write_id }: ChangeRow): number[] {
    const rows = store
      .ofWrite(write_id)
      .filter(({ kind, action }) => kind === 'restaurant' && action === 'delete');
    return rows.map(({ entity_id }) => entity_id);
  }

  function listBatches(context: RequestContext): Promise<Reply> {
    const viewer = viewerOf(context.principal, showsAuthors);
    const list = {
      scope: 'batches',
      cursors: sealer,
      keys: BY_ID,
      start: Number.MAX_SAFE_INTEGER,
      read: (before: number, limit: number) => store.batches(viewer, before, limit),
      total: () => store.countBatches(viewer),
      render: (batch: BatchRow) => batchJson(batch, viewer),
    };
    return pageReply(context, requireValid(parseBatchQuery(context.query), context), list);
  }

  function requireBatch(context: RequestContext): BatchRow {
    const { userId, isAdmin } = viewerOf(context.principal, showsAuthors);
    const found = store.batch(idInPath(context.parameters, 'id', 'batch'), userId);
    return requireFound(isAdmin || found?.actor_id === userId ? found : undefined, 'Batch');
  }

  function getBatch(context: RequestContext): Reply {
    const viewer = viewerOf(context.principal, showsAuthors);
    return okText(JSON.stringify(batchJson(requireBatch(context), viewer)));
  }

  async function revertBatch(context: RequestContext): Promise<Reply> {
    const batchId = idInPath(context.parameters, 'id', 'batch');
    requireValid(parseNothing(context.body), context);
    if (requireBatch(context).changes > MOST_CHANGES)
      throw conflict(`Batch ${batchId} is too large; run: catalogue revert --batch ${batchId}`);
    log.checkAdded(authorIdOf(context));
    const viewer = viewerOf(context.principal, showsAuthors);
    const end = await undoInThread('revertBatch', { ...workOf(context, parts), id: batchId, viewer });
    reverted();
    return replyOfWork(end, context);
  }
}
