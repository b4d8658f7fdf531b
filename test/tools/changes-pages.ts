import { Agent } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openStorage } from '../../src/storage/storage.ts';
import { alignedTable, figure, quantile } from '../bench/figures.ts';
import { generateCatalogue } from '../bench/generate.ts';
import { cpuMs } from '../bench/machine.ts';
import { ask } from '../faults/support.ts';
import { withCleanup } from '../support/cleanup.ts';
import { type ServerProcess, startServerProcess } from '../support/cli.ts';
import { createClient, field, textOf } from '../support/client.ts';
import { LOCAL, signUp } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';

// What a page of 1,000 changes costs in a log of a million, for a caller who sees all and for one from whom authors are
// hidden. Worst rows first.
const CHANGES = Number(process.env['CHANGES'] ?? 1_000_000);
const RESTAURANTS = 2_000;
const RATINGS = 8;
const ROUNDS = 60;
const BOUND_MS = 15;

/** A log of at least so many changes: that of a real catalogue, again and again. */
async function makeLog(folder: string): Promise<void> {
  const storage = openStorage(folder);
  await generateCatalogue(storage, RESTAURANTS, RATINGS);
  storage.close();
  const database = new Database(join(folder, 'catalogue.db'));
  const columns =
    'at, kind, entity_id, restaurant_id, action, name, fields, before, after, owner_id, actor_id, via, request_id';
  const last = database.prepare('SELECT max(id) FROM changes').pluck();
  while (Number(last.get()) < CHANGES)
    database.exec(`INSERT INTO changes (${columns}) SELECT ${columns} FROM changes ORDER BY id`);
  database.exec('ANALYZE');
  database.close();
}

/** Pages by what they are asked for; `middle` is a cursor halfway. */
function queries(middle: string, middleBack: string): readonly (readonly [string, string])[] {
  const from = `since=${encodeURIComponent(middle)}`;
  const back = `order=newest&since=${encodeURIComponent(middleBack)}`;
  return [
    ['start', 'since=start'],
    ['middle', from],
    ['newest', 'order=newest'],
    ['middle, backwards', back],
    ['restaurants alone (1 in 9)', `${from}&kind=restaurant`],
    ['one restaurant of many', `${from}&kind=restaurant&entity_id=1999`],
    ['kind that never comes', `${from}&kind=photo`],
    ['the same backwards', `${back}&kind=photo`],
    ['action that never comes', `${from}&action=delete`],
    ['another person', `${from}&actor=2`],
    ['batch that is not there', `${from}&batch_id=9`],
    ['all filters', `${from}&kind=photo,category&action=delete,restore&actor=2,3&batch_id=9`],
    ['behind the end', ''],
  ];
}

interface Reader {
  readonly who: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function measure(
  { url, process: child }: Pick<ServerProcess, 'url' | 'process'>,
  { who, headers: own }: Reader,
): Promise<string[][]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const api = createClient(url, own);
  const half = async (order: string, since: string): Promise<string> => {
    let cursor = since;
    // Pages that hold nothing go on by 10,000 changes at a time.
    for (let page = 0; page < CHANGES / 20_000; page += 1) {
      const at = cursor === '' ? '' : `&since=${encodeURIComponent(cursor)}`;
      cursor = textOf((await api.get(`/changes?order=${order}&kind=photo${at}`)).body, 'next');
    }
    return cursor;
  };
  const asked = queries(await half('oldest', 'start'), await half('newest', ''));
  const rows: { readonly cells: string[]; readonly cpu: number }[] = [];
  for (const [label, query] of asked) {
    const times: number[] = [];
    let before = NaN;
    let last = '';
    for (let round = -5; round < ROUNDS; round += 1) {
      if (round === 0) before = cpuMs(child.pid ?? 0);
      const page = `/api/changes?limit=1000&${query}`;
      const { status, ms, body } = await ask(Number(new URL(url).port), page, { agent, headers: own });
      if (status !== 200) throw new Error(`${page} answered ${status}: ${body}`);
      if (round >= 0) times.push(ms);
      last = body;
    }
    const data = field(JSON.parse(last), 'data');
    const [p99, cpu] = [quantile(times, 0.99), (cpuMs(child.pid ?? 0) - before) / ROUNDS];
    const cells = [
      `${who}: ${label}`,
      ...[quantile(times, 0.5), p99, cpu].map(figure),
      String(Array.isArray(data) ? data.length : 0),
      String(Buffer.byteLength(last)),
    ];
    rows.push({ cells, cpu });
  }
  agent.destroy();
  return rows.toSorted((left, right) => right.cpu - left.cpu).map(({ cells }) => cells);
}

await withCleanup(async (t) => {
  const folder = temporaryFolder(t);
  await makeLog(folder);
  const started = { DATA_DIR: folder, HOST: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '0' };
  const open = await startServerProcess(t, started);
  const rows = await measure(open, { who: 'all to see', headers: {} });
  open.process.kill('SIGTERM');
  await open.ended;

  const hiding = await startServerProcess(t, { ...started, ...LOCAL, AUTHORS: 'none' });
  const { accessToken } = await signUp({ url: hiding.url, api: createClient(hiding.url) }, 'reader');
  const own = { Authorization: `Bearer ${accessToken}` };
  rows.push(...(await measure(hiding, { who: 'AUTHORS=none', headers: own })));
  console.log(`\nA page of 1,000 of ${CHANGES} changes, ${ROUNDS} times each; bound ${BOUND_MS} ms`);
  console.log(alignedTable([['page', 'p50 ms', 'p99 ms', 'cpu ms', 'changes', 'bytes'], ...rows], 1));
});
