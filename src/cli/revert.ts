import { parseArgs } from 'node:util';
import { History } from '../history/history.ts';
import { RevertRefused } from '../history/revert.ts';
import { counted } from '../kit/sentences.ts';
import { COMMAND_LINE } from '../storage/change-log.ts';
import type { Transactions } from '../storage/transaction.ts';
import { type Command, CommandError, TEXT, UsageError } from './command.ts';
import { loadSettings, withCatalogue } from './settings.ts';
import { print } from './terminal.ts';

export const command: Command = {
  summary: 'undo a change, or a whole import',
  help: [
    'Usage: catalogue revert CHANGE',
    '       catalogue revert --batch BATCH',
    '',
    'Undoes a change together with everything else that the same request changed, or a batch, such as an import: all or',
    'nothing. What was deleted comes back with its ratings and photos, for as many days as TRASH_DAYS says. If something',
    'stands in the way, such as a later change, nothing is written. The service may be running; while a batch is undone, its',
    'own writes wait.',
    '',
    'catalogue changes lists the ids. A revert is itself a change or a batch, and can be undone in the same way.',
    '',
    '  --batch BATCH  undo a batch',
  ].join('\n'),
  run: async (args) => {
    const options = { batch: TEXT };
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const [change, ...more] = positionals;
    const given = change ?? values.batch;
    if (given === undefined || more.length > 0 || (change !== undefined && values.batch !== undefined))
      throw new UsageError('revert takes one change, or --batch and one batch');
    const id = parseId(given);
    const { trashDays } = loadSettings().config.history;
    await withCatalogue(async (storage) => {
      const history = new History(storage, trashDays);
      const revert = change === undefined ? revertBatch : revertChange;
      try {
        print(await revert(id, history, storage.transactions));
      } catch (error) {
        throw error instanceof RevertRefused ? new CommandError(error.message) : error;
      }
    });
  },
};

function parseId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`"${text}" is no id of a change or batch`);
  return Number(text);
}

async function revertChange(id: number, { log, store, reverter }: History): Promise<string> {
  const { changeId = 0 } = await log.write(COMMAND_LINE, (write) => {
    const row = store.get(id);
    if (!row || !store.isReadable(row, null)) throw new CommandError(`there is no change ${id}`);
    reverter.revertWrite(row, write);
  });
  return `Reverted change ${id}. This is change ${changeId}; to undo it: catalogue revert ${changeId}`;
}

async function revertBatch(
  id: number,
  { store, reverter }: History,
  transactions: Transactions,
): Promise<string> {
  const { made } = await transactions.write(() => {
    if (!store.batch(id, null)) throw new CommandError(`there is no batch ${id}`);
    return reverter.revertBatch(id, COMMAND_LINE);
  });
  const undone = `Reverted batch ${id} (${counted(made.changes, 'change')}).`;
  return `${undone} This is batch ${made.id}; to undo it: catalogue revert --batch ${made.id}`;
}
