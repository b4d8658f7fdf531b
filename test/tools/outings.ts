import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DAY_MS, MINUTE_MS } from '../../src/kit/time.ts';
import { prepareData } from '../bench/data.ts';
import { cityCentre, cityCount, shifted } from '../bench/generate.ts';
import { cpuMs } from '../bench/machine.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { type Cleanup, atEnd, withCleanup } from '../support/cleanup.ts';
import { startServerProcess } from '../support/cli.ts';
import { type Client, bodyOf, createClient, idOf } from '../support/client.ts';
import { hundredths, percentile } from './report.ts';

// Measures proposals among made-up places next to pages by rating with the same filters, and of those that are open then. No
// two requests are the same. Times are the client's on the same machine; of some rounds the one with the least p99 counts, since
// other programs disturb the rest. `cpu` is the processor time of the service for a request. --store keeps the made-up places
// for the next time; a --work folder in memory leaves the disk out.

const { values: options } = parseArgs({
  options: {
    places: { type: 'string', default: '100000' },
    requests: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    store: { type: 'string' },
    work: { type: 'string', default: tmpdir() },
  },
});
const PLACES = Number(options.places);

type Filters = Readonly<Record<string, string>>;

interface Row {
  readonly title: string;
  readonly hour: number;
  readonly filters: (random: () => number) => Filters;
}

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly cpu: number;
}

/** A circle somewhere in a city, with its radius in kilometres. */
function circle(radius: number): Row['filters'] {
  return (random) => {
    const centre = cityCentre(Math.floor(random() * cityCount(PLACES)));
    const { latitude, longitude } = shifted(centre, 2 * random() - 1, 2 * random() - 1);
    return { lat: latitude.toFixed(6), lng: longitude.toFixed(6), radius: String(radius) };
  };
}

const ROWS: readonly Row[] = [
  { title: '1 km, evening', hour: 19, filters: circle(1) },
  { title: '5 km, evening', hour: 19, filters: circle(5) },
  { title: '5 km, 04:00', hour: 3, filters: circle(5) },
  { title: '50 km, 04:00', hour: 3, filters: circle(50) },
  { title: 'everywhere, evening', hour: 19, filters: () => ({}) },
  { title: 'everywhere, 04:00', hour: 3, filters: () => ({}) },
  {
    title: 'a category, 04:00',
    hour: 3,
    filters: (random) => ({ category_id: String(1 + Math.floor(random() * 20)) }),
  },
];

/** Sends requests one after the other, some rounds of them. */
async function measure(pid: number, send: () => Promise<() => Promise<unknown>>): Promise<Times> {
  let best: Times | undefined;
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const times: number[] = [];
    let cpu = 0;
    for (let count = 0; count < Number(options.requests); count += 1) {
      const before = cpuMs(pid);
      const started = performance.now();
      const after = await send();
      times.push(performance.now() - started);
      cpu += cpuMs(pid) - before;
      await after();
    }
    const found = {
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      max: percentile(times, 1),
      cpu: hundredths(cpu / times.length),
    };
    if (!best || found.p99 < best.p99) best = found;
  }
  return best ?? { p50: NaN, p99: NaN, max: NaN, cpu: NaN };
}

async function measureRow(pid: number, api: Client, { hour, filters }: Row): Promise<object> {
  const random = randomNumbers(1);
  const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const next = (): { readonly at: string; readonly chosen: Filters } => {
    const minutes = hour * 60 + Math.floor(random() * 60) + 24 * 60 * Math.floor(random() * 50);
    return { at: new Date(midnight + minutes * MINUTE_MS).toISOString(), chosen: filters(random) };
  };
  const proposal = await measure(pid, async () => {
    const { at, chosen } = next();
    const { lat, lng, radius, ...rest } = chosen;
    const near = lat === undefined ? {} : { near: { lat, lng, radius } };
    const answer = await api.post('/outings', { at, from: { ...rest, ...near } });
    return async () => bodyOf(await api.delete(`/outings/${idOf(answer)}`));
  });
  const page = (isOpen: boolean): Promise<Times> =>
    measure(pid, async () => {
      const { at, chosen } = next();
      const query = new URLSearchParams({ ...chosen, sort: 'rating', ...(isOpen && { open_at: at }) });
      bodyOf(await api.get(`/restaurants/paginated?${String(query)}`));
      return () => Promise.resolve();
    });
  const [byRating, open] = [await page(false), await page(true)];
  const ratio = hundredths(proposal.p99 / byRating.p99);
  return {
    ...proposal,
    'page p99': byRating.p99,
    'open page p50': open.p50,
    'open page p99': open.p99,
    'p99 / page': ratio,
  };
}

async function measureAll(t: Cleanup, ratings: number): Promise<void> {
  const work = mkdtempSync(join(options.work, 'outings-'));
  atEnd(t, () => {
    rmSync(work, { recursive: true });
  });
  const store = join(options.store ?? work, `ratings-${ratings}`);
  mkdirSync(store, { recursive: true });
  const { folder } = await prepareData(PLACES, { store, work, ratings });
  const server = await startServerProcess(t, { DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '0' });
  // One that holds no answer against the description, which takes its time.
  const api = createClient(server.url);
  const { pid = 0 } = server.process;
  bodyOf(await api.get('/restaurants/paginated?sort=rating&open_at=now'));
  const found: Record<string, object> = {};
  for (const row of ROWS) found[row.title] = await measureRow(pid, api, row);
  console.log(`\n${PLACES} places, ${ratings} ratings each; ms`);
  console.table(found);
}

for (const ratings of [1, 0]) await withCleanup((t) => measureAll(t, ratings));
