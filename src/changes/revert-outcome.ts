import type { Writer } from '../storage/change-log.ts';

/** A batch that is to be undone on a connection of its own. */
export interface BatchRevert {
  readonly dataFolder: string;
  readonly trashDays: number;
  readonly batchId: number;
  readonly writer: Writer;
}

/** How that ended; nothing was written unless it says `done`. */
export type BatchRevertOutcome =
  | { readonly outcome: 'done'; readonly batchId: number }
  | { readonly outcome: 'refused'; readonly obstacles: readonly string[] }
  | { readonly outcome: 'failed'; readonly code: string; readonly reason: string };

const NAMED_OBSTACLES = 20;

/** The outcome that a thread has sent. Throws where it is none. */
export function readOutcome(sent: unknown): BatchRevertOutcome {
  const values = new Map<string, unknown>(
    typeof sent === 'object' && sent !== null ? Object.entries(sent) : [],
  );
  const [outcome, batchId, obstacles] = ['outcome', 'batchId', 'obstacles'].map((name) => values.get(name));
  if (outcome === 'done' && typeof batchId === 'number') return { outcome, batchId };
  if (outcome === 'refused' && Array.isArray(obstacles)) return { outcome, obstacles: obstacles.map(String) };
  if (outcome !== 'failed') throw new TypeError('a thread that reverts a batch sent no outcome');
  return { outcome, code: String(values.get('code')), reason: String(values.get('reason')) };
}

/** Why a change was not undone. */
export function changeRefusal(id: number, obstacles: readonly string[]): string {
  return `Change ${id} cannot be reverted: ${obstacles.join('; ')}`;
}

/** Why a batch was not undone, with the first obstacles. */
export function batchRefusal(id: number, obstacles: readonly string[]): string {
  const count = `${obstacles.length} obstacle${obstacles.length === 1 ? '' : 's'}`;
  return `Batch ${id} cannot be reverted: ${count}: ${obstacles.slice(0, NAMED_OBSTACLES).join('; ')}`;
}
