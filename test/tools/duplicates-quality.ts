import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Likely } from '../../src/catalogue/duplicates/traits.ts';
import { type Match, Matcher, endOf } from '../../src/catalogue/duplicates/matcher.ts';
import { readCsvRecords } from '../../src/transfer/csv-records.ts';
import { PAIRS, type Pair } from '../catalogue/duplicates/places.ts';
import { randomNumbers } from '../support/catalogue.ts';
import { manyPlaces } from './many-places.ts';
import { hundredths, percentile } from './report.ts';
import { type WorldPlace, createRewriter, groupOf } from './second-source.ts';

// Measures the matcher of duplicates: on the benchmark of Fodor's and Zagat's restaurants (a folder with fodors.csv,
// zagats.csv and matches_fodors_zagats.csv), on the pairs written by hand, on real restaurants of the world against a
// second source made of them (a CSV file with name, address, city, longitude, latitude, phone, website), and its speed.
// With --list it prints what it got wrong; --many is the number of made-up places that show the speed, 0 for none. Run Node
// with --expose-gc for the memory in use.

const SECOND_SOURCE = 3_000;
const SEED = 7;
const LONGEST = 1_000;

type Row = Readonly<Record<string, string>>;

interface Tally {
  asked: number;
  /** How many were found. */
  certain: number;
  candidates: number;
  falselyCertain: number;
  /** All candidates, false ones too. */
  pairs: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false }, many: { type: 'string', default: '100000' } },
});
const [folder, worldFile] = positionals;
if (folder === undefined) throw new Error('which folder has the benchmark?');

async function rowsOf(file: string): Promise<Row[]> {
  const records: (readonly string[])[] = [];
  for await (const found of readCsvRecords(createReadStream(file), () => true)) {
    if ('fault' in found) throw new Error(`${file}: ${found.fault}`);
    records.push(found.value);
  }
  const [header = [], ...rest] = records;
  return rest.map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])));
}

function print(title: string, rows: Readonly<Record<string, object>>): void {
  console.log(`\n${title}`);
  console.table(rows);
}

function list(title: string, lines: readonly string[]): void {
  if (values.list && lines.length > 0) console.log(`\n${title}\n${lines.join('\n')}`);
}

function shown(place: Likely | undefined): string {
  if (!place) return '?';
  const { name, address, phone, website, latitude, longitude } = place;
  const spot = latitude === null ? null : `${latitude.toFixed(5)},${(longitude ?? 0).toFixed(5)}`;
  return [name, address, phone, website, spot].map((value) => value ?? '-').join(' | ');
}

const newTally = (): Tally => ({ asked: 0, certain: 0, candidates: 0, falselyCertain: 0, pairs: 0 });
const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(2)} %`;

function figuresOf({ asked, certain, candidates, falselyCertain, pairs }: Tally): object {
  return {
    places: asked,
    certain: certain + falselyCertain,
    precision: percent(certain, certain + falselyCertain),
    recall: percent(certain, asked),
    'recall of candidates': percent(candidates, asked),
    'candidates per place': hundredths(pairs / asked),
  };
}

async function measureBenchmark(from: string): Promise<void> {
  const matcher = new Matcher();
  const placesOf = async (file: string): Promise<Map<number, Likely>> =>
    new Map(
      (await rowsOf(join(from, file))).map(({ id, name = '', addr, city, phone = null }) => [
        Number(id),
        {
          name,
          address: `${addr ?? ''}, ${city ?? ''}`,
          phone,
          website: null,
          latitude: null,
          longitude: null,
        },
      ]),
    );
  const fodors = await placesOf('fodors.csv');
  const zagats = await placesOf('zagats.csv');
  const truth = new Set(
    (await rowsOf(join(from, 'matches_fodors_zagats.csv'))).map(
      (row) => `${row['fodors_id'] ?? ''} ${row['zagats_id'] ?? ''}`,
    ),
  );
  const shift = Math.max(...fodors.keys());
  for (const [id, place] of fodors) matcher.put(id, place);
  for (const [id, place] of zagats) matcher.put(shift + id, place);
  const tally = { ...newTally(), asked: truth.size };
  const wrong: string[] = [];
  const missed = new Map([...truth].map((pair) => [pair, 'nothing']));
  for (const [id, place] of zagats)
    for (const match of endOf(matcher.searchFor(shift + id))) {
      const other = fodors.get(match.id);
      if (!other) continue;
      const pair = `${match.id} ${id}`;
      tally.pairs += 1;
      if (!truth.has(pair)) {
        if (!match.certain) continue;
        tally.falselyCertain += 1;
        wrong.push(`${shown(other)}\n  ${shown(place)} [${match.reasons.join(', ')}]`);
        continue;
      }
      tally.candidates += 1;
      missed.set(pair, 'candidate');
      if (!match.certain) continue;
      tally.certain += 1;
      missed.delete(pair);
    }
  print("Fodor's and Zagat's", { all: figuresOf(tally), candidates: { places: tally.pairs } });
  list('Certain and wrong:', wrong);
  list(
    'Not certain:',
    [...missed].map(([pair, outcome]) => {
      const [left, right] = pair.split(' ').map(Number);
      return `${outcome}: ${shown(fodors.get(left ?? 0))}\n  ${shown(zagats.get(right ?? 0))}`;
    }),
  );
}

function isWrong({ label }: Pair, outcome: string): boolean {
  if (label === 'same') return outcome !== 'certain';
  return outcome === 'certain' || (label === 'unlike' && outcome === 'candidate');
}

function measurePairs(): void {
  const rows: Record<string, { certain: number; candidate: number; nothing: number; wrong: number }> = {};
  const wrong: string[] = [];
  for (const pair of PAIRS) {
    const matcher = new Matcher();
    matcher.put(1, pair.a);
    const [match] = endOf(matcher.search(pair.b));
    const outcome = match === undefined ? 'nothing' : match.certain ? 'certain' : 'candidate';
    const row = (rows[pair.label] ??= { certain: 0, candidate: 0, nothing: 0, wrong: 0 });
    row[outcome] += 1;
    if (!isWrong(pair, outcome)) continue;
    row.wrong += 1;
    wrong.push(`${pair.label} but ${outcome}: ${pair.why}\n  ${shown(pair.a)}\n  ${shown(pair.b)}`);
  }
  print('Pairs written by hand', rows);
  list('Wrong:', wrong);
}

async function measureWorld(file: string): Promise<void> {
  const orNull = (text: string | undefined): string | null => (text === '' ? null : (text ?? null));
  const places = (await rowsOf(file)).map(
    ({ name = '', address = '', city = '', longitude, latitude, phone, website }): WorldPlace => ({
      name,
      address,
      city: city.split(', ')[0] ?? '',
      country: address.split(', ').at(-1) ?? '',
      phone: orNull(phone),
      website: orNull(website),
      latitude: Number(latitude),
      longitude: Number(longitude),
    }),
  );
  const matcher = new Matcher();
  for (const [id, place] of places.entries()) matcher.put(id, place);

  const among = { certain: 0, candidates: 0 };
  const pairs: string[] = [];
  for (const [id, place] of places.entries())
    for (const match of endOf(matcher.searchFor(id))) {
      if (match.id < id) continue;
      among[match.certain ? 'certain' : 'candidates'] += 1;
      pairs.push(
        `${match.certain ? 'certain' : 'candidate'} [${match.reasons.join(', ')}] ${shown(place)}\n  ${shown(places[match.id])}`,
      );
    }
  print(`${places.length} restaurants of the world, pairs among them`, { all: among });
  list('Pairs among them:', pairs.toSorted().toReversed());

  const random = randomNumbers(SEED);
  const rewrite = createRewriter(random);
  const chosen = [...places.keys()]
    .map((id) => ({ id, order: random() }))
    .toSorted((left, right) => left.order - right.order)
    .slice(0, SECOND_SOURCE);
  const tallies: Record<string, Tally> = { all: newTally() };
  const byEvidence: Record<string, Tally> = {};
  const wrong: string[] = [];
  for (const { id } of chosen) {
    const place = places[id];
    if (!place) continue;
    const { evidence, isTranslated, ...other } = rewrite(place);
    const groups = [
      'all',
      groupOf(place),
      `${groupOf(place)}, ${isTranslated ? 'two scripts' : 'one script'}`,
    ];
    const counted = [
      ...groups.map((group) => (tallies[group] ??= newTally())),
      (byEvidence[evidence] ??= newTally()),
    ];
    const matches = endOf(matcher.search(other));
    const own = matches.find((match) => match.id === id);
    const others = matches.filter((match) => match.id !== id && match.certain);
    for (const tally of counted) {
      tally.asked += 1;
      tally.certain += own?.certain === true ? 1 : 0;
      tally.candidates += own ? 1 : 0;
      tally.falselyCertain += others.length;
      tally.pairs += matches.length;
    }
    const lines = others.map(
      (match) =>
        `falsely certain [${match.reasons.join(', ')}] ${shown(other)}\n  ${shown(places[match.id])}`,
    );
    if (own?.certain !== true)
      lines.push(`${own ? 'candidate' : 'nothing'} ${shown(other)}\n  ${shown(place)}`);
    wrong.push(...lines);
  }
  const table = (of: Readonly<Record<string, Tally>>): Record<string, object> =>
    Object.fromEntries(Object.entries(of).map(([name, tally]) => [name, figuresOf(tally)]));
  print('A second source made of them, by where they are', table(tallies));
  const sorted = Object.entries(byEvidence).toSorted(([, left], [, right]) => right.asked - left.asked);
  print('The same, by what is left apart from the name', table(Object.fromEntries(sorted)));
  list('Wrong or not certain:', wrong.toSorted());
}

function measureSpeed(count: number): void {
  const places = manyPlaces(count);
  const heap = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const timed = (work: (place: Likely, id: number) => void): object => {
    const tried = (place: Likely, id: number): number => {
      const started = performance.now();
      work(place, id);
      return performance.now() - started;
    };
    const before = process.cpuUsage();
    const calls = places.map((place, id) => ({ place, id, ms: tried(place, id) }));
    const { user, system } = process.cpuUsage(before);
    // The longest calls are tried again, as other work on the machine makes some long.
    const again = calls
      .toSorted((left, right) => right.ms - left.ms)
      .slice(0, LONGEST)
      .map(({ place, id, ms }) => ({
        place,
        ms: Math.min(ms, tried(place, id), tried(place, id), tried(place, id)),
      }))
      .toSorted((left, right) => right.ms - left.ms);
    return {
      'processor s': hundredths((user + system) / 1e6),
      'p99 ms': percentile(
        calls.map(({ ms }) => ms),
        0.99,
      ),
      'longest ms': hundredths(again[0]?.ms ?? 0),
      'longest of': again[0]?.place.name,
    };
  };
  const before = heap();
  const matcher = new Matcher();
  const put = timed((place, id) => {
    matcher.put(id, place);
  });
  const used = heap() - before;
  let [certain, candidates] = [0, 0];
  const pairs: string[] = [];
  const found: Match[][] = [];
  const pass = timed((_place, id) => {
    found[id] = endOf(matcher.searchFor(id));
  });
  for (const [id, matches] of found.entries())
    for (const match of matches) {
      if (match.id < id) continue;
      candidates += 1;
      if (!match.certain) continue;
      certain += 1;
      pairs.push(`[${match.reasons.join(', ')}] ${shown(places[id])}\n  ${shown(places[match.id])}`);
    }
  print(`${count} made-up places`, { put, 'full pass': pass });
  print('Found and used', {
    all: { certain, candidates, 'heap MB': hundredths(used) },
  });
  list('Certain among them:', pairs);
}

await measureBenchmark(folder);
measurePairs();
if (worldFile !== undefined) await measureWorld(worldFile);
if (Number(values.many) > 0) measureSpeed(Number(values.many));
