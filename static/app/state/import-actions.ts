import { listed } from '../base/format.js';
import { fill, texts } from '../base/texts.js';
import { act, toast, undoFault } from './actions.js';
import { UNREACHABLE, faultText, ownFile } from '../base/api.js';
import { answer, setUi, state } from './store.js';
import type { Text } from '../base/texts.js';
import { trust } from '../base/types.js';
import type { Batch, Import, ImportAnswers, ImportResult, Page, State } from '../base/types.js';

const common = texts.common;
const words = texts.import;

/** The addresses that list what was imported. */
export const BATCHES = '/batches?limit=20';
const SAMPLES = 'samples.csv';
// Where there are more places than this, the samples, if any, are no longer what it is about.
const FEW_PLACES = 300;
// What a form adds to its file.
const FORM_BYTES = 2048;

const show = (value: Import | undefined) => setUi({ import: value });

/** Reads a file without writing anything. */
export function checkFile(file: File) {
  const refuse = (status: number, code?: string) =>
    show({ file, phase: 'checking', answers: {}, fault: { ...UNREACHABLE, status, code } });
  if (file.size === 0) return refuse(400, 'empty');
  if (file.size > (state.config?.max_body_bytes ?? Infinity) - FORM_BYTES) return refuse(413);
  return importFile(file, 'checking');
}

/** Sends the file again with all answers, and another one. */
export function send(phase: Import['phase'], answers: ImportAnswers = {}) {
  const { import: current } = state.ui;
  if (current) void importFile(current.file, phase, { ...current.answers, ...answers });
}

/** Adds the sample places that come with the app. */
export async function addSamples() {
  try {
    await importFile(new File([await ownFile(SAMPLES)], SAMPLES, { type: 'text/csv' }), 'adding');
    const { fault } = state.ui.import ?? {};
    if (fault) toast({ text: faultText(fault, words.faults), kind: 'fault' });
  } catch {
    toast({ text: faultText(UNREACHABLE), kind: 'fault' });
  }
}

/** Sends a file, for a look at what it would change or to be written. What was found stays on the screen for another look. */
async function importFile(file: File, phase: Import['phase'], answers: ImportAnswers = {}) {
  const { asked, result: found } = state.ui.import?.file === file ? state.ui.import : {};
  const mine = { file, phase, answers, asked };
  const busy = { ...mine, isBusy: true, result: phase === 'checking' ? found : undefined };
  show(busy);
  // Another file may have been chosen since, or another answer.
  const isCurrent = () => state.ui.import?.answers === answers;
  const body = new FormData();
  body.set('dry_run', String(phase === 'checking'));
  for (const [name, answer] of Object.entries(answers)) if (answer !== undefined) body.set(name, answer);
  body.set('file', file);
  const outcome = await act<ImportResult & { error?: string; status?: number; code?: string }>({
    method: 'POST',
    path: '/imports',
    body,
    onLine(text) {
      const line = trust<Partial<Import>>(JSON.parse(text));
      if (line.share !== undefined && isCurrent()) show({ ...busy, ...line });
    },
    reload: phase === 'adding',
    quiet: true,
    noUndo: true,
  });
  if (!isCurrent()) return;
  if (!outcome.ok) return show({ ...mine, fault: outcome.fault });
  const { body: result } = outcome;
  // It failed after the first lines, when the status was sent already.
  const { error: message, status = 500, code } = result;
  if (message !== undefined) return show({ ...mine, fault: { ...UNREACHABLE, status, message, code } });
  const { dry_run: isLook, batch_id: id, encoding, lists } = result;
  show({
    file,
    phase: isLook ? 'checking' : 'adding',
    // What is shown as the likeliest counts as chosen once the places are imported.
    answers: { ...answers, encoding: answers.encoding ?? encoding?.used },
    asked: {
      encoding: encoding ?? asked?.encoding ?? null,
      lists: answers.list === undefined ? lists : (asked?.lists ?? []),
    },
    result,
  });
  const undo = id === null ? undefined : () => void revertBatch(id);
  if (!isLook) toast({ text: resultText(result), undo });
}

/** How many places there are of each kind, such as "12 new, 3 here"; empty where there are none. */
export const countsText = (texts: Readonly<Partial<Record<string, Text>>>, result: ImportResult) =>
  listed(
    (['created', 'updated', 'unchanged', 'unknown_total', 'failed'] as const).flatMap((name) => {
      const [text, count] = [texts[name], result[name]];
      return text !== undefined && count > 0 ? fill(text, { count }) : [];
    }),
  );

/** What an import wrote. */
export function resultText(result: ImportResult) {
  const { list, created, updated } = result;
  const count = created + updated;
  if (list && count > 0) return fill(words.listed, { count, list: list.name });
  return countsText(words.results, result) || words.nothingWritten;
}

/** Undoes all that a batch wrote, or nothing; with `isUndo` that batch was an undoing itself. */
export async function revertBatch(id: number, isUndo = false) {
  const write = { method: 'POST', path: `/batches/${id}/revert`, noUndo: true, quiet: true };
  const outcome = await act<{ id: number }>(write);
  if (!outcome.ok) return toast({ text: undoFault(outcome.fault), kind: 'fault' });
  show(undefined);
  const undo = () => void revertBatch(outcome.body.id, !isUndo);
  toast({ text: isUndo ? words.again : common.undone, isUndo: !isUndo, undo });
}

/** The batch of the sample places, while they are there. */
export const sampleBatch = () =>
  answer<Page<Batch>>(BATCHES)?.data.find((one) => one.file === SAMPLES && one.reverted_by === null);

/** What Explore needs to know whether the samples are there; who cannot remove them need not know. */
export const samplesNeeds = ({ session }: State, total: number | undefined = 0): string[] =>
  session.user?.is_admin === true && total > 0 && total <= FEW_PLACES ? [BATCHES] : [];

/** The lists from which a person chooses one for what a file brings. */
export const listsNeeds = ({ ui }: State): string[] => (ui.import?.asked?.lists.length ? ['/lists'] : []);
