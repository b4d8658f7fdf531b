import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.ts';
import { type Ended, runCommand } from './cli.ts';
import { temporaryFolder } from './service.ts';

/** Places with cuisines, of which one has none. */
export const PLACES = `name,cuisine
Chez Nous,"French, Seafood"
Sakura,"Sushi, Vegan"
Pho Bo,Vietnamese
Nameless,
`;

/** A folder with files to import, and a catalogue that is not there yet. */
export interface World {
  readonly folder: string;
  readonly file: (name: string, content: string | Buffer) => string;
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  /** The category and the food types of each restaurant. */
  readonly kinds: () => Promise<string[][]>;
}

/** Makes one that is removed after the test. */
export function cuisineWorld(t: Cleanup): World {
  const folder = temporaryFolder(t);
  const run = (...args: readonly string[]): Promise<Ended> =>
    runCommand(args, { variables: { DATA_DIR: join(folder, 'data') } });
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const kinds = async (): Promise<string[][]> => {
    const { out } = await run('export', '-', '--format', 'csv');
    const [header = '', ...lines] = out.trimEnd().split('\r\n');
    const at = header.split(',').indexOf('category');
    return lines.map((line) =>
      line
        .replace(/"([^"]*)"/g, (_all, text: string) => text.replaceAll(',', '+'))
        .split(',')
        .slice(at, at + 2),
    );
  };
  return { folder, file, run, kinds };
}
