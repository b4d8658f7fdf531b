import { fill, texts } from '../base/texts.js';
import { act, faultText, setUndo, toast } from './actions.js';
import { ownFile } from '../base/api.js';
import { setUi, state } from './store.js';
import type { Batch, Fault, ImportResult, Page, State } from '../base/types.js';

const words = texts.import;

/** An import on its way: looked at, then written. `share` is how much of it is done, from 0 to 1. */
export interface Import {
  file: File;
  phase: 'checking' | 'checked' | 'adding' | 'done';
  share?: number;
  rows?: number;
  result?: ImportResult;
  fault?: Fault;
}

/** The addresses that list what was imported. */
export const BATCHES = '/batches?limit=20';
export const SAMPLES = 'samples.csv';
// Where there are more places than this, the samples, if any, are no longer what it is about.
const FEW_PLACES = 300;
// What a form adds to its file.
const FORM_BYTES = 2048;

const show = (value: Import | undefined) => setUi({ import: value });

const current = (): Import | undefined => state.ui.import;

/** Reads a file without writing anything. */
export const checkFile = (file: File) => {
  const most = (state.config?.max_body_bytes ?? Infinity) - FORM_BYTES;
  if (file.size <= most) return run(file, 'checking');
  const fault = { status: 413, message: '', requestId: null, retryAfter: null };
  return show({ file, phase: 'checked', fault });
};

/** Writes the file that was checked. */
export function addFile() {
  const file = current()?.file;
  if (file) void run(file, 'adding');
}

/** Forgets the file. */
export const forgetFile = () => show(undefined);

/** Adds the sample places that come with the app. */
export async function addSamples() {
  try {
    await run(new File([await ownFile(SAMPLES)], SAMPLES, { type: 'text/csv' }), 'adding');
  } catch {
    toast({ text: faultText({ status: 0, message: '', requestId: null, retryAfter: null }), kind: 'fault' });
  }
}

async function run(file: File, phase: 'checking' | 'adding') {
  const mine = { file, phase };
  show(mine);
  // Another file may have been chosen since.
  const isCurrent = () => current()?.file === file && current()?.phase === phase;
  const body = new FormData();
  body.set('dry_run', String(phase === 'checking'));
  body.set('file', file);
  const outcome = await act({
    method: 'POST',
    path: '/imports',
    body,
    headers: { Accept: 'application/x-ndjson' },
    onLine: ({ share, rows }) => share !== undefined && isCurrent() && show({ ...mine, share, rows }),
    ...(phase === 'checking' && { reload: false }),
    quiet: true,
    noUndo: true,
  });
  if (!isCurrent()) return;
  if (!outcome.ok) return show({ ...mine, phase: 'checked', fault: outcome.fault });
  // It failed after the first lines, when the status was sent already.
  if (outcome.body.error !== undefined) {
    const fault = { status: 500, message: outcome.body.error, requestId: null, retryAfter: null };
    return show({ ...mine, phase: 'checked', fault });
  }
  const result = outcome.body as ImportResult;
  show({ file, phase: phase === 'checking' ? 'checked' : 'done', result });
  const { batch_id: batch } = result;
  if (phase === 'adding') offerUndo(resultText(result), batch);
}

/** How many places there are of each kind, such as "12 new, 3 here"; empty where there are none. */
export function countsText(
  texts: Readonly<Partial<Record<keyof ImportResult, string>>>,
  result: ImportResult,
) {
  const parts = Object.entries(texts).map(([name, text]) => {
    const count = Number(result[name as keyof ImportResult]);
    return count > 0 ? fill(text, { count }) : '';
  });
  return parts.filter(Boolean).join(', ');
}

/** What an import wrote. */
export const resultText = (result: ImportResult) => countsText(words.results, result) || words.nothingWritten;

function offerUndo(text: string, batch: number | null) {
  const undo = batch === null ? undefined : () => void revertBatch(batch);
  if (undo) setUndo(undo);
  toast({ text, ...(undo && { undo }) });
}

/** Takes back all that a batch wrote, or nothing. */
export async function revertBatch(id: number) {
  const outcome = await act({ method: 'POST', path: `/batches/${id}/revert`, noUndo: true });
  if (!outcome.ok) return;
  show(undefined);
  offerUndo(words.takenBack, outcome.body.id);
}

/** The batch of the sample places, while they are there. */
export function sampleBatch({ data }: State): Batch | undefined {
  const page = data[BATCHES]?.body as Page<Batch> | undefined;
  return page?.data.find(({ file, reverted_by: reverted }) => file === SAMPLES && reverted === null);
}

/**
 * What Explore needs to know whether the samples are there; who cannot remove them need not know.
 * @param total how many places there are
 */
export const samplesNeeds = ({ session }: State, total: number | undefined = 0): string[] =>
  session.user?.is_admin === true && total > 0 && total <= FEW_PLACES ? [BATCHES] : [];
