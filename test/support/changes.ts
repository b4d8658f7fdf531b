import { type Answer, type Client, array, bodyOf, field, record } from './client.ts';

/** A change as the API answers it. */
export type Change = Readonly<Record<string, unknown>>;

/** By what a write is known in the log. Throws when the answer names no change. */
export function changeOf({ status, headers, body }: Answer): number {
  const id = headers.get('change');
  if (id === null) throw new Error(`no change: ${status} ${JSON.stringify(body)}`);
  return Number(id);
}

/** Status and sentence of a refusal. */
export function refusal({ status, body }: Answer): readonly [number, unknown] {
  return [status, field(body, 'error')];
}

/** Undoes a change. */
export function revert(api: Client, id: number): Promise<Answer> {
  return api.post(`/changes/${id}/revert`, {});
}

/** Undoes a change and returns the one that did it. Throws when that is refused. */
export async function reverted(api: Client, id: number): Promise<number> {
  const answer = await revert(api, id);
  bodyOf(answer);
  return changeOf(answer);
}

/** One change. Throws when there is none, as far as this caller sees it. */
export async function changeAt(api: Client, id: number): Promise<Change> {
  return record(bodyOf(await api.get(`/changes/${id}`)));
}

/** A cursor for now. */
export async function cursorForNow(api: Client, filters = ''): Promise<string> {
  return String(field((await api.get(`/changes?${filters}`)).body, 'next'));
}

/** All changes, page by page, from `start` or a cursor on or, newest first, from `newest` on. */
export async function allChanges(
  api: Client,
  filters = '',
  { from = 'start', limit = 1000 }: { readonly from?: string; readonly limit?: number } = {},
): Promise<Change[]> {
  const found: Change[] = [];
  let place = from === 'newest' ? 'order=newest' : `since=${from}`;
  for (;;) {
    const body = bodyOf(await api.get(`/changes?${place}&limit=${limit}&${filters}`));
    found.push(...array(field(body, 'data')).map((change) => record(change)));
    if (field(body, 'has_more') !== true) return found;
    const next = String(field(body, 'next'));
    place = from === 'newest' ? `order=newest&since=${next}` : `since=${next}`;
  }
}

/** Kind and action of changes, in order. */
export function deeds(changes: readonly Change[]): string[] {
  return changes.map(({ kind, action }) => `${String(kind)} ${String(action)}`);
}

/** The ids of changes, in order. */
export function idsOf(changes: readonly Change[]): number[] {
  return changes.map(({ id }) => Number(id));
}
