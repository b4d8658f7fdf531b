import { alignedTable, figure } from './figures.ts';
import type { Lookup, Summary } from './report.ts';
import type { Rest } from './run.ts';
import { ROWS } from './workloads.ts';

interface Verdict {
  readonly measured: string;
  readonly met: boolean;
}

interface Target {
  readonly work: string;
  readonly target: string;
  /** Undefined where the rows that it needs were not measured. */
  readonly judge: () => Verdict | undefined;
}

interface Sizes {
  readonly smallest: number;
  readonly largest: number;
}

const LIST_GROWTH_MB = 50;
const LIST_P99_MS = 25;
const LOGIN_P99_MS = 15;
const START_MS = 500;
const IDLE_MB = 90;
const SEARCH_P99_MS = 10;

/** The table of what the service is to reach and whether it does, at the largest size; growth is from the smallest. */
export function targetTable(lookup: Lookup, sizes: Sizes, rest: Rest | undefined): string {
  const rows = targets(lookup, sizes, rest).map(({ work, target, judge }) => {
    const verdict = judge();
    const outcome = verdict && (verdict.met ? 'met' : 'missed');
    return [work, target, verdict?.measured ?? '-', outcome ?? '-'];
  });
  const title = `targets, at ${sizes.largest.toLocaleString('en')} restaurants`;
  return alignedTable([[title, 'target', 'measured', ''], ...rows], 4);
}

function targets(lookup: Lookup, { smallest, largest }: Sizes, rest: Rest | undefined): readonly Target[] {
  const ratio = (row: string, rival: 'bare' | 'fastify', least: number): Target => ({
    work: row,
    target: `at least ${least} of ${rival}`,
    judge: () => {
      const [own, other] = [lookup(largest, row, 'service'), lookup(largest, row, rival)];
      if (!own || !other) return undefined;
      const measured = own.perSecond / other.perSecond;
      const byCpu = other.cpuPerThousand / own.cpuPerThousand;
      return { measured: `${figure(measured)} (by CPU ${figure(byCpu)})`, met: measured >= least };
    },
  });
  const growth = (row: string, most: number): Target => ({
    work: row,
    target: `at most ${most} of the CPU at ${smallest.toLocaleString('en')}`,
    judge: () => {
      const [small, large] = [lookup(smallest, row, 'service'), lookup(largest, row, 'service')];
      if (!small || !large || smallest === largest) return undefined;
      const measured = large.cpuPerThousand / small.cpuPerThousand;
      return { measured: figure(measured), met: measured <= most };
    },
  });
  const below = (
    row: string,
    what: 'p99' | 'growthMb',
    most: number,
    label: string,
    unit: string,
  ): Target => ({
    work: row,
    target: `${label} under ${most} ${unit}`,
    judge: () => {
      const own: Summary | undefined = lookup(largest, row, 'service');
      return own && { measured: `${figure(own[what])} ${unit}`, met: own[what] < most };
    },
  });
  const resting = (what: 'startMs' | 'idleMb', most: number, label: string, unit: string): Target => ({
    work: 'the service alone',
    target: `${label} under ${most} ${unit}`,
    judge: () => rest && { measured: `${figure(rest[what])} ${unit}`, met: rest[what] < most },
  });
  return [
    ...[ratio(ROWS.one, 'bare', 0.5), ratio(ROWS.one, 'fastify', 2.5)],
    ...[ROWS.page, ROWS.category, ROWS.foodType, ROWS.both].flatMap((row) => [
      ratio(row, 'bare', 0.3),
      ratio(row, 'fastify', 5),
    ]),
    ...[ratio(ROWS.near, 'fastify', 3), growth(ROWS.near, 1.5)],
    ...[below(ROWS.search, 'p99', SEARCH_P99_MS, 'p99', 'ms'), growth(ROWS.search, 2)],
    ratio(ROWS.write, 'fastify', 5),
    below(ROWS.everything, 'growthMb', LIST_GROWTH_MB, 'memory grows', 'MB'),
    below(ROWS.everything, 'p99', LIST_P99_MS, 'p99', 'ms'),
    below(ROWS.login, 'p99', LOGIN_P99_MS, 'p99', 'ms'),
    resting('startMs', START_MS, 'cold start', 'ms'),
    resting('idleMb', IDLE_MB, 'idle memory', 'MB'),
  ];
}
