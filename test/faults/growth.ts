import { startServerProcess } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { ask, hundredths, percentile, report } from './support.ts';

// What hostile text costs, and whether twice as much of it costs more than twice. A body may have 10 MB; what
// stands in a target has to fit into 16 KB.

const ROUNDS = 7;
const MAX_RATIO = 2.5;
const MAX_STALL_MS = 20;
// Below it a ratio shows the noise of the machine alone.
const LEAST_MS = 4;
const BODY = 2_000_000;
// Twice as much is what is still cleaned before it is refused, and what a target holds.
const [FIELD, TARGET] = [24_900, 7_500];

const PATTERNS: readonly string[] = [
  ...['a', ' ', '<', '<a ', '<!--', '</', '<script>', '<a "=', '&lt;', '\\\\', '\\u0000', '-', '.', '@', '%'],
  ...['http://', '//', 'a.', 'a@', ' a', '"a" ', '*', 'é', '🍕', 'e\u0301', '中'],
];
const FIELDS: readonly (readonly [string, string])[] = [
  ...['name', 'description', 'address', 'phone', 'website', 'google_place_id', 'status'].map(
    (field) => ['/api/restaurants', field] as const,
  ),
  ['/api/restaurants/1/ratings', 'comment'],
  ['/api/suggestions', 'name'],
  ['/api/food-types', 'name'],
];
const PARAMETERS: readonly (readonly [string, string])[] = [
  ['/api/search', 'q'],
  ['/api/restaurants', 'food_type_ids'],
  ['/api/restaurants', 'search'],
  ['/api/restaurants/paginated', 'cursor'],
];

interface Case {
  readonly place: string;
  readonly pattern: string;
  readonly send: (size: number) => ReturnType<typeof ask>;
  readonly size: number;
}

function casesOf(port: number): Case[] {
  const headers = { 'Content-Type': 'application/json' };
  const inBody = FIELDS.flatMap(([path, field]) =>
    PATTERNS.flatMap((pattern) =>
      (field === 'name' && path.endsWith('restaurants') ? [FIELD, BODY] : [FIELD]).map((size) => ({
        place: `POST ${path} ${field}`,
        pattern,
        size,
        send: (wanted: number) => {
          const text = pattern.replaceAll('"', '\\"').repeat(Math.floor(wanted / Buffer.byteLength(pattern)));
          return ask(port, path, { method: 'POST', headers, body: `{"${field}":"${text}"}` });
        },
      })),
    ),
  );
  const inTarget = PARAMETERS.flatMap(([path, name]) =>
    PATTERNS.map((pattern) => {
      const encoded = encodeURIComponent(pattern);
      const send = (wanted: number): ReturnType<typeof ask> =>
        ask(port, `${path}?${name}=${encoded.repeat(Math.floor(wanted / encoded.length))}`);
      return { place: `GET ${path} ${name}`, pattern, size: TARGET, send };
    }),
  );
  return [...inBody, ...inTarget];
}

/** The median time of a case with so many bytes, in milliseconds. */
async function timeOf({ place, pattern, send }: Case, size: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { status, ms } = await send(size);
    if (status < 200 || status >= 500) throw new Error(`${place} of ${pattern} was answered ${status}`);
    times.push(ms);
  }
  return percentile(times, 0.5);
}

await report(20, 'text that is to cost more than it is long', async (t) => {
  const { url, api } = await startServerProcess(t, { DATA_DIR: temporaryFolder(t) });
  await api.post('/restaurants', { name: 'Chez Nous' });
  const found: { place: string; pattern: string; size: number; ms: number; ratio: number }[] = [];
  for (const one of casesOf(Number(new URL(url).port))) {
    const [half, whole] = [await timeOf(one, one.size), await timeOf(one, one.size * 2)];
    const ratio = whole < LEAST_MS ? 1 : hundredths(whole / half);
    found.push({ place: one.place, pattern: one.pattern, size: one.size * 2, ms: whole, ratio });
  }
  const small = found.filter(({ size }) => size < BODY);
  const byRatio = found.toSorted((left, right) => right.ratio - left.ratio).slice(0, 3);
  const slowest = small.toSorted((left, right) => right.ms - left.ms).slice(0, 3);
  return {
    figures: { cases: found.length, byRatio, slowest },
    bounds: {
      ratio: byRatio.every(({ ratio }) => ratio <= MAX_RATIO),
      stall: slowest.every(({ ms }) => ms <= MAX_STALL_MS),
    },
  };
});
