import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { counted } from '../kit/sentences.ts';
import { openExistingStorage } from '../storage/storage.ts';
import { exportText } from '../transfer/export.ts';
import { type Command, CommandError, FLAG, TEXT, UsageError, onlyOne } from './command.ts';
import { exportFormatOf } from './import-file.ts';
import { loadSettings, useCatalogue } from './settings.ts';
import { complain, printAll } from './terminal.ts';

export const command: Command = {
  summary: 'write all restaurants to a file',
  help: [
    'Usage: catalogue export FILE [--format csv|ndjson|geojson|kml] [--with-people] [--force]',
    '',
    'Writes the whole catalogue as it is at one moment, and says how many restaurants. FILE may be - for standard output.',
    'NDJSON and GeoJSON include ratings, CSV and KML do not. The service may be running.',
    '',
    '  --format F     csv, ndjson, geojson or kml; by default, what the extension of FILE says',
    '  --force        replace an existing file, once the export is complete',
    '  --with-people  add the private lists and visits of all users, with their emails; NDJSON only. They are for reading: an',
    '                 import ignores them, and only a backup restores them',
  ].join('\n'),
  run: async (args) => {
    const options = { format: TEXT, 'with-people': FLAG, force: FLAG };
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const file = onlyOne(positionals, 'export takes one file');
    const format = exportFormatOf(file, values.format);
    const withPeople = values['with-people'] === true;
    if (withPeople && format !== 'ndjson')
      throw new UsageError('only NDJSON can hold people: --format ndjson');
    if (file !== '-' && values.force !== true && existsSync(file))
      throw new CommandError(`${file} exists; --force replaces it`);
    loadSettings();
    const storage = openExistingStorage(useCatalogue());
    try {
      let count: number | undefined;
      const text = exportText(format, storage.queries, withPeople, (restaurants) => (count = restaurants));
      await storage.transactions.readSnapshot(() => (file === '-' ? printAll(text) : toFile(text, file)));
      const target = file === '-' ? 'standard output' : file;
      // Undefined where the reader of standard output has gone.
      if (count !== undefined) complain(`${counted(count, 'restaurant')} written to ${target}`);
    } finally {
      storage.close();
    }
  },
};

async function toFile(text: Iterable<string>, file: string): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(Readable.from(text), createWriteStream(partial, { mode: 0o600, flush: true }));
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
