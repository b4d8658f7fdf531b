import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStorage } from '../../src/storage/storage.ts';
import { alignedTable, figure, quantile } from '../bench/figures.ts';
import { generateCatalogue } from '../bench/generate.ts';
import { ask } from '../faults/support.ts';
import { type Cleanup, withCleanup } from '../support/cleanup.ts';
import { type Noticed, startProbe } from './probe.ts';
import { runCommand, startServerProcess } from '../support/cli.ts';
import { createClient, field } from '../support/client.ts';
import { readStored } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';

// What the revert of an import of 5,000 rows takes in a catalogue of 100,000 restaurants, and what others notice of it;
// IMPORTED is a CSV file with other rows.
const RESTAURANTS = Number(process.env['RESTAURANTS'] ?? 100_000);
const ROWS = 5_000;
const FILE = process.env['IMPORTED'];
const WRITERS = 4;
const CONTROL_MS = 5_000;
const AFTERWARDS_MS = 500;
const BOUND_MS = 2_000;
const HEALTH_MS = 50;
const JSON_TYPE = { 'Content-Type': 'application/json' };

function madeUp(): string {
  const rows = Array.from(
    { length: ROWS },
    (_, index) =>
      `Imported ${index},"${index} Quay Road, Harbourtown","Kind ${index % 150}, Grill",${index / 1_000}`,
  );
  return `name,address,cuisine,longitude,latitude\n${rows.map((row) => `${row},51.5`).join('\n')}\n`;
}

interface Noticing {
  readonly health: Noticed;
  /** Milliseconds of each write. */
  readonly writes: readonly number[];
  readonly refused: number;
}

/** The waits of other clients while `work` goes on. */
async function during(t: Cleanup, port: number, work: () => Promise<unknown>): Promise<Noticing> {
  const stop = await startProbe(t, port, '/api/health');
  const writes: number[] = [];
  let [isOver, refused] = [false, 0];
  const scores = { food_rating: 4, service_rating: 4, ambiance_rating: 4 };
  const writer = async (restaurant: number): Promise<void> => {
    const body = JSON.stringify({ restaurant_id: restaurant, ...scores });
    while (!isOver) {
      const { status, ms } = await ask(port, '/api/ratings', { method: 'POST', headers: JSON_TYPE, body });
      if (status === 201) writes.push(ms);
      else refused += 1;
      await pause(10);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, index) => writer(index + 1));
  await pause(AFTERWARDS_MS);
  await work();
  await pause(AFTERWARDS_MS);
  isOver = true;
  await Promise.all(writers);
  return { health: await stop(), writes, refused };
}

function row(label: string, took: number | undefined, { health, writes, refused }: Noticing): string[] {
  return [
    label,
    figure(took),
    ...[health.p50, health.p99, health.worst].map(figure),
    ...[quantile(writes, 0.5), quantile(writes, 0.99), Math.max(...writes)].map(figure),
    `${writes.length} / ${refused}`,
  ];
}

const counted = (folder: string): string =>
  JSON.stringify(
    readStored(
      folder,
      `SELECT (SELECT count(*) FROM restaurants) AS restaurants, (SELECT count(*) FROM batches) AS batches,
        (SELECT count(*) FROM changes WHERE batch_id IS NOT NULL) AS changes`,
    ),
  );

// The revert of an import, that of this revert, and one that an obstacle stands in the way of.
await withCleanup(async (t) => {
  const folder = temporaryFolder(t);
  const [data, file] = [join(folder, 'data'), join(folder, 'import.csv')];
  const storage = openStorage(data);
  await generateCatalogue(storage, RESTAURANTS, 1);
  storage.close();
  writeFileSync(file, FILE === undefined ? madeUp() : readFileSync(FILE));
  const variables = { DATA_DIR: data, HOST: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '0' };
  const imported = await runCommand(['import', file], { variables });
  const { url } = await startServerProcess(t, variables);
  const port = Number(new URL(url).port);
  const batches = (await ask(port, '/api/batches')).body;
  console.log(
    `\n${imported.out.trim()}\n${batches}; bounds ${BOUND_MS} ms, /health ${HEALTH_MS} ms plus the control's`,
  );

  const revert = async (id: number): Promise<{ status: number; ms: number; body: string }> =>
    ask(port, `/api/batches/${id}/revert`, { method: 'POST', headers: JSON_TYPE });
  const rows: string[][] = [];
  for (const [label, batch] of [
    ['control', undefined],
    ['revert of the import', 1],
    ['revert of that', 2],
    ['and of that', 3],
  ] as const) {
    let took: number | undefined;
    const noticed = await during(t, port, async () => {
      if (batch === undefined) return pause(CONTROL_MS);
      const { status, ms, body } = await revert(batch);
      if (status !== 200) throw new Error(`the revert answered ${status}: ${body}`);
      took = ms;
    });
    rows.push(row(label, took, noticed));
  }
  await revert(4);
  const one = readStored(
    data,
    `SELECT entity_id FROM changes WHERE kind = 'restaurant' AND batch_id = 5 LIMIT 1 OFFSET 2500`,
  );
  await createClient(url).put(`/restaurants/${Number(field(one[0], 'entity_id'))}`, { phone: '+1 555 0199' });
  const before = counted(data);
  let answered = '';
  let took: number | undefined;
  const noticed = await during(t, port, async () => {
    const { status, ms, body } = await revert(5);
    took = ms;
    answered = `${status} ${body}`;
  });
  rows.push(row('with one obstacle', took, noticed));
  const head = ['', 'took ms', 'health p50', 'p99', 'worst', 'writes p50', 'p99', 'worst', 'done / refused'];
  console.log(alignedTable([head, ...rows], 1));
  console.log(
    `with one obstacle: ${answered}; the catalogue ${counted(data) === before ? 'is as before' : 'CHANGED'}`,
  );
});
