import { figure } from './figures.ts';
import type { Figures, Times } from './plan.ts';
import type { RestTargets, Rival, Target } from './rows.ts';
import type { Measured, Rest } from './run.ts';

// The results as Markdown, as the manual holds them.

const HEADINGS = [
  'work',
  'CPU ms',
  'bare',
  'plain app',
  'with totals',
  'requests/s',
  'times plain app',
  'p50 ms',
  'p99 ms',
  'worst ms',
  'others wait',
  'MB more',
  'target',
];

/** Milliseconds of processor time for one answer of the first stream. */
const cpuOf = ({ serverCpuMs, streams }: Figures): number => serverCpuMs / (streams[0]?.answers ?? NaN);

const cpuCell = (figures: Figures | undefined): string => (figures ? cpuOf(figures).toFixed(3) : '-');

/** How many times the requests a second of a rival the service answers on the same core. */
function timesOf(figures: Measured['figures'], rival: Rival): number | undefined {
  const [own, other] = [figures.get('service'), figures.get(rival)];
  return own && other && (own.streams[0]?.perSecond ?? NaN) / (other.streams[0]?.perSecond ?? NaN);
}

/** The table of all rows, worst first, with what was left out and the worst requests below it. */
export function reportOf(all: readonly Measured[], rest: Rest | undefined, limits: RestTargets): string {
  const misses = ({ row, figures }: Measured): number =>
    row.targets.filter((target) => verdict(target, figures).includes('missed')).length;
  const lines = all
    .filter(({ leftOut }) => leftOut === undefined)
    .toSorted((left, right) => misses(right) - misses(left))
    .flatMap(linesOf);
  const table = [HEADINGS, HEADINGS.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  const missing = all.flatMap(({ row, leftOut }) =>
    leftOut === undefined ? [] : [`- Left out: ${row.name}: ${leftOut}.`],
  );
  const worst = all.flatMap(({ row, figures }) => {
    const own = figures.get('service')?.streams[0];
    return own ? [`- ${row.name}: ${figure(own.worst)} ms for \`${own.worstPath.slice(0, 160)}\``] : [];
  });
  const mostMb = Math.max(...all.map(({ figures }) => figures.get('service')?.memoryMb ?? 0));
  const atRest = rest ? [restLine(rest, mostMb, limits)] : [];
  return [...table, '', ...atRest, ...missing, '', 'The slowest request of each row:', '', ...worst].join(
    '\n',
  );
}

function restLine(rest: Rest, mostMb: number, limits: RestTargets): string {
  const limited = (value: number, limit: number, unit: string): string =>
    `${figure(value)} ${unit} (${met(value < limit)}: under ${limit})`;
  return (
    `- From start to first answer ${figure(rest.startMs)} ms, to first list ${limited(rest.listMs, limits.listMs, 'ms')}; ` +
    `memory at rest ${limited(rest.idleMb, limits.idleMb, 'MB')}, at most ${limited(mostMb, limits.mostMb, 'MB')}; ` +
    `database ${limited(rest.databaseMb, limits.databaseMb, 'MB')}.`
  );
}

const met = (isMet: boolean): string => (isMet ? 'met' : '**missed**');

/** The line of a row; of one with groups, the lines of its best and its worst group after it. */
function linesOf({ row, figures }: Measured): string[][] {
  const own = figures.get('service');
  const [first, others] = own?.streams ?? [];
  if (!own || !first) return [];
  const line = [
    row.name,
    ...[own, figures.get('bare'), figures.get('plain'), figures.get('fastify')].map(cpuCell),
    figure(first.perSecond),
    figure(timesOf(figures, 'plain')),
    ...timeCells(first),
    figure(others?.worst),
    figure(own.growthMb),
    row.targets.map((target) => verdict(target, figures)).join('; '),
  ];
  const groups = sortedGroups(first.groups);
  const [best, worst] = [groups[0], groups.at(-1)];
  if (!best || !worst || groups.length === 1) return [line];
  const groupLine = (label: string, [name, times]: Group): string[] => [
    `${label}: ${name}`,
    '',
    '',
    '',
    '',
    '',
    '',
    ...timeCells(times),
    '',
    '',
    '',
  ];
  return [line, groupLine('best', best), groupLine('worst', worst)];
}

type Group = readonly [string, Times];

function sortedGroups(groups: Readonly<Record<string, Times>>): readonly Group[] {
  return Object.entries(groups).toSorted(([, left], [, right]) => left.p50 - right.p50);
}

const timeCells = ({ p50, p99, worst }: Times): string[] => [p50, p99, worst].map(figure);

const below = (value: number | undefined, limit: number): string => met((value ?? NaN) < limit);

/** Whether a target is reached, with what was measured where the table does not show it. */
function verdict(target: Target, figures: Measured['figures']): string {
  const own = figures.get('service');
  const [first, others] = own?.streams ?? [];
  switch (target.kind) {
    case 'cpu':
      return `${met(own !== undefined && cpuOf(own) <= target.most)}: at most ${target.most} ms of CPU`;
    case 'ratio': {
      const { of, least } = target;
      return `${met((timesOf(figures, of) ?? NaN) >= least)}: ${least} times ${of}`;
    }
    case 'rate': {
      const { of, least } = target;
      const measured = timesOf(figures, of) ?? NaN;
      return `${met(measured >= least)}: ${least} times the requests/s of ${of} (${figure(measured)})`;
    }
    case 'time':
      return `${below(first?.[target.of], target.under)}: ${target.of} under ${target.under} ms`;
    case 'others':
      return `${below(others?.worst, target.under)}: others wait under ${target.under} ms`;
    case 'growth':
      return `${below(own?.growthMb, target.underMb)}: memory grows under ${target.underMb} MB`;
    case 'groups': {
      const { under, within } = target;
      const groups = sortedGroups(first?.groups ?? {});
      const [best = NaN, worst = NaN] = [groups[0]?.[1].p50, groups.at(-1)?.[1].p50];
      return (
        `${below(worst, under)}: p50 of all under ${under} ms; ` +
        `${met(worst <= within * best)}: within ${within} times of each other (${figure(worst / best)})`
      );
    }
  }
}

/** One line for each server of a row. */
export function jsonLines({ row, figures, leftOut }: Measured): string[] {
  if (leftOut !== undefined) return [JSON.stringify({ row: row.name, leftOut })];
  return [...figures].map(([server, each]) => JSON.stringify({ row: row.name, server, ...each }));
}
