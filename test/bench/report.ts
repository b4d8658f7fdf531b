import { figure } from './figures.ts';
import type { Figures, Times } from './plan.ts';
import type { RestTargets, Target } from './rows.ts';
import type { Measured, Rest } from './run.ts';

// The results as Markdown, as the manual holds them.

const HEADINGS = [
  'work',
  'requests/s',
  'Fastify',
  'CPU: of bare',
  'of Fastify',
  'p50 ms',
  'p99 ms',
  'worst ms',
  'others wait',
  'MB more',
  'target',
];

type Measurements = ReadonlyMap<string, Measured>;

/** Milliseconds of processor time for one answer of the first stream. */
const cpuOf = ({ serverCpuMs, streams }: Figures): number => serverCpuMs / (streams[0]?.answers ?? NaN);

function share(own: Figures | undefined, rival: Figures | undefined): number | undefined {
  return own && rival && cpuOf(rival) / cpuOf(own);
}

/** The table of all rows with what was left out and the worst requests below it. */
export function reportOf(all: readonly Measured[], rest: Rest | undefined, limits: RestTargets): string {
  const byName = new Map(all.map((measured) => [measured.row.name, measured]));
  const lines = all.filter(({ leftOut }) => leftOut === undefined).flatMap((each) => linesOf(each, byName));
  const table = [HEADINGS, HEADINGS.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  const missing = all.flatMap(({ row, leftOut }) =>
    leftOut === undefined ? [] : [`- Left out: ${row.name}: ${leftOut}.`],
  );
  const worst = all.flatMap(({ row, figures }) => {
    const own = figures.get('service')?.streams[0];
    return own ? [`- ${row.name}: ${figure(own.worst)} ms for \`${own.worstPath.slice(0, 160)}\``] : [];
  });
  const atRest = rest ? [restLine(rest, limits)] : [];
  return [...table, '', ...atRest, ...missing, '', 'The slowest request of each row:', '', ...worst].join(
    '\n',
  );
}

function restLine({ startMs, idleMb }: Rest, limits: RestTargets): string {
  const start = `${figure(startMs)} ms (${met(startMs < limits.startMs)}: under ${limits.startMs})`;
  const memory = `${figure(idleMb)} MB at rest (${met(idleMb < limits.idleMb)}: under ${limits.idleMb})`;
  return `- From start to first answer ${start}, ${memory}.`;
}

const met = (isMet: boolean): string => (isMet ? 'met' : '**missed**');

/** The line of a row; of one with groups, the lines of its best and its worst group after it. */
function linesOf({ row, figures }: Measured, all: Measurements): string[][] {
  const own = figures.get('service');
  const [first, others] = own?.streams ?? [];
  if (!own || !first) return [];
  const line = [
    row.name,
    figure(first.perSecond),
    figure(figures.get('fastify')?.streams[0]?.perSecond),
    figure(share(own, figures.get('bare'))),
    figure(share(own, figures.get('fastify'))),
    ...timeCells(first),
    figure(others?.worst),
    figure(own.growthMb),
    row.targets.map((target) => verdict(target, figures, all)).join('; '),
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
function verdict(target: Target, figures: Measured['figures'], all: Measurements): string {
  const own = figures.get('service');
  const [first, others] = own?.streams ?? [];
  switch (target.kind) {
    case 'ratio': {
      const { of, least } = target;
      const rival = typeof of === 'string' ? figures.get(of) : all.get(of.row)?.figures.get('service');
      const measured = share(own, rival) ?? NaN;
      const name = typeof of === 'string' ? of : `"${of.row}" (${figure(measured)})`;
      return `${met(measured >= least)}: ${least} of ${name}`;
    }
    case 'rate': {
      const { of, least } = target;
      const measured = (first?.perSecond ?? NaN) / (figures.get(of)?.streams[0]?.perSecond ?? NaN);
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
