import { alignedTable, figure } from './figures.ts';
import type { Measured, Rest } from './run.ts';
import type { ServerName } from './servers.ts';

/** What a measurement comes to. Shares from 0 to 1. */
export interface Summary {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of processor time for 1,000 answers of all streams together. */
  readonly cpuPerThousand: number;
  readonly busy: number;
  readonly generatorBusy: number;
  readonly memoryMb: number;
  readonly growthMb: number;
}

/** Finds the summary of a row of a server at a size. */
export type Lookup = (size: number, row: string, server: ServerName) => Summary | undefined;

/** The summary of a measurement: its first stream is the one whose times count. */
export function summarise({ figures }: Measured): Summary {
  const { seconds, serverCpuMs, generatorCpuMs, memoryMb, growthMb, streams } = figures;
  const { perSecond = NaN, p50 = NaN, p99 = NaN } = streams[0] ?? {};
  const answers = streams.reduce((sum, stream) => sum + stream.answers, 0);
  return {
    ...{ perSecond, p50, p99, memoryMb, growthMb },
    cpuPerThousand: (serverCpuMs / answers) * 1_000,
    busy: serverCpuMs / seconds / 1_000,
    generatorBusy: generatorCpuMs / seconds / 1_000,
  };
}

/** A lookup in measurements. */
export function createLookup(all: readonly Measured[]): Lookup {
  const summaries = new Map(
    all.map((measured) => [`${measured.size} ${measured.row} ${measured.server}`, summarise(measured)]),
  );
  return (size, row, server) => summaries.get(`${size} ${row} ${server}`);
}

const HEADINGS = [
  ...['work', 'server', 'req/s', 'p50 ms', 'p99 ms', 'CPU ms/1,000', 'busy', 'generator', 'MB', 'grew MB'],
  ...['of bare', 'of Fastify', 'CPU: of bare', 'of Fastify'],
];
const whole = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(0).replace(/^-0$/, '0') : '-';
const percent = (share: number): string =>
  Number.isFinite(share) ? `${String(Math.round(share * 100))}%` : '-';

/**
 * The table of a size: a line for each server of each row, and on the service's line the ratios to the others, first of
 * requests per second, then of requests for the same processor time.
 */
export function sizeTable(size: number, all: readonly Measured[], rest: Rest | undefined): string {
  const lookup = createLookup(all);
  const lines = all.map((measured) => {
    const { row, server } = measured;
    const own = summarise(measured);
    const [bare, fastify] = [lookup(size, row, 'bare'), lookup(size, row, 'fastify')];
    const ratios = [
      ...[own.perSecond / (bare?.perSecond ?? NaN), own.perSecond / (fastify?.perSecond ?? NaN)],
      ...[
        (bare?.cpuPerThousand ?? NaN) / own.cpuPerThousand,
        (fastify?.cpuPerThousand ?? NaN) / own.cpuPerThousand,
      ],
    ];
    return [
      ...[row, server],
      ...[own.perSecond, own.p50, own.p99, own.cpuPerThousand].map(figure),
      ...[own.busy, own.generatorBusy].map(percent),
      ...[own.memoryMb, own.growthMb].map(whole),
      ...ratios.map((ratio) => (server === 'service' ? figure(ratio) : '')),
    ];
  });
  const title = `${size.toLocaleString('en')} restaurants`;
  const table = lines.length === 0 ? '' : `\n${alignedTable([HEADINGS, ...lines], 2)}`;
  const ending = rest
    ? `\ncold start to first answer: ${figure(rest.startMs)} ms (median), idle memory: ${figure(rest.idleMb)} MB`
    : '';
  return `${title}${table}${ending}`;
}
