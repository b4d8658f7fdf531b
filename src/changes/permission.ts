import type { Principal } from '../http/context.ts';
import { type ChangeRow, isPersonal } from './record.ts';

/** Whether a caller may undo a change. */
export type RevertRule = (row: ChangeRow, principal: Principal) => boolean;

/**
 * Whoever may do the opposite write may undo a change (CONTRACT-2, section A); with `adminsOnly`, WRITE_ACCESS=admins, others
 * than administrators only what they did themselves. What was rated is its author's to say, and what was deleted of a
 * person's comes back by who deleted it, or by an administrator.
 */
export function createRevertRule(adminsOnly: boolean): RevertRule {
  return ({ kind, action, actor_id, owner_id }, { userId, isAdmin, credential }) => {
    // The placeholder of mode none stands for all there are.
    if (credential === 'none') return true;
    if (kind === 'rating' && action === 'update') return owner_id === userId;
    const isOwn = actor_id === userId;
    if (isPersonal(kind) && action === 'delete') return isAdmin || isOwn;
    if (isAdmin || !adminsOnly) return true;
    const isModeration = kind === 'suggestion' && action === 'update';
    return isOwn && isPersonal(kind) && !isModeration && owner_id === userId;
  };
}
