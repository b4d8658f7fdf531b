import { figure } from './figures.ts';
import type { Figures, StreamFigures, Times } from './plan.ts';
import type { RestTargets, Target } from './rows.ts';
import type { Measured, Rest } from './run.ts';

// The results as Markdown, as the manual holds them.

const HEADINGS = [
  ...['work', 'requests/s', 'Fastify', 'CPU: of bare', 'of Fastify', 'p50 ms', 'p99 ms', 'worst ms'],
  ...['others wait', 'MB more', 'target'],
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
    ...['', '', '', ''],
    ...timeCells(times),
    ...['', '', ''],
  ];
  return [line, groupLine('best', best), groupLine('worst', worst)];
}

type Group = readonly [string, Times];

function sortedGroups(groups: Readonly<Record<string, Times>>): readonly Group[] {
  return Object.entries(groups).toSorted(([, left], [, right]) => left.p50 - right.p50);
}

const timeCells = ({ p50, p99, worst }: Times): string[] => [p50, p99, worst].map(figure);

type Judge<Kind extends Target['kind']> = (
  target: Extract<Target, { readonly kind: Kind }>,
  figures: Measured['figures'],
  all: Measurements,
) => string;

const firstOf = (figures: Figures | undefined): StreamFigures | undefined => figures?.streams[0];
const below = (value: number | undefined, limit: number): string => met((value ?? NaN) < limit);

/** By kind of target: whether it is reached, with what was measured where the table does not show it. */
const JUDGES: { readonly [Kind in Target['kind']]: Judge<Kind> } = {
  ratio: ({ of, least }, figures, all) => {
    const rival = typeof of === 'string' ? figures.get(of) : all.get(of.row)?.figures.get('service');
    const measured = share(figures.get('service'), rival) ?? NaN;
    const name = typeof of === 'string' ? of : `"${of.row}" (${figure(measured)})`;
    return `${met(measured >= least)}: ${least} of ${name}`;
  },
  rate: ({ of, least }, figures) => {
    const [own, rival] = [firstOf(figures.get('service')), firstOf(figures.get(of))];
    const measured = (own?.perSecond ?? NaN) / (rival?.perSecond ?? NaN);
    return `${met(measured >= least)}: ${least} times the requests/s of ${of} (${figure(measured)})`;
  },
  time: ({ of, under }, figures) =>
    `${below(firstOf(figures.get('service'))?.[of], under)}: ${of} under ${under} ms`,
  others: ({ under }, figures) =>
    `${below(figures.get('service')?.streams[1]?.worst, under)}: others wait under ${under} ms`,
  growth: ({ underMb }, figures) =>
    `${below(figures.get('service')?.growthMb, underMb)}: memory grows under ${underMb} MB`,
  groups: ({ under, within }, figures) => {
    const groups = sortedGroups(firstOf(figures.get('service'))?.groups ?? {});
    const [best = NaN, worst = NaN] = [groups[0]?.[1].p50, groups.at(-1)?.[1].p50];
    return (
      `${below(worst, under)}: p50 of all under ${under} ms; ` +
      `${met(worst <= within * best)}: within ${within} times of each other (${figure(worst / best)})`
    );
  },
};

function verdict(target: Target, figures: Measured['figures'], all: Measurements): string {
  switch (target.kind) {
    case 'ratio':
      return JUDGES.ratio(target, figures, all);
    case 'rate':
      return JUDGES.rate(target, figures, all);
    case 'time':
      return JUDGES.time(target, figures, all);
    case 'others':
      return JUDGES.others(target, figures, all);
    case 'growth':
      return JUDGES.growth(target, figures, all);
    case 'groups':
      return JUDGES.groups(target, figures, all);
  }
}

/** One line for each server of a row. */
export function jsonLines({ row, figures, leftOut }: Measured): string[] {
  if (leftOut !== undefined) return [JSON.stringify({ row: row.name, leftOut })];
  return [...figures].map(([server, each]) => JSON.stringify({ row: row.name, server, ...each }));
}
