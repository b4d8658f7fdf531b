import { array, field, record, textOf } from '../support/client.ts';

/** A request of the load generator; `body` is JSON. */
export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** Clients that do the same kind of thing: one request after the other on each connection, in the order given. */
export interface Stream {
  readonly connections: number;
  /** Requests a second in all; without it as many as are answered. */
  readonly perSecond?: number;
  readonly requests: readonly BenchRequest[];
}

/** What the load generator is asked for. */
export interface Plan {
  readonly port: number;
  /** The server's process, whose processor time and memory are read. */
  readonly pid: number;
  /** Not counted: at least so long, and up to four times as long where few requests are answered. */
  readonly warmupSeconds: number;
  readonly seconds: number;
  readonly streams: readonly Stream[];
}

/** What came of a stream within the counted seconds; times in milliseconds. */
export interface StreamFigures {
  readonly answers: number;
  /** Of them those with another status than 200 or 201. */
  readonly failures: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/** What came of a plan. Processor time in milliseconds, memory in megabytes; NaN where the system does not tell. */
export interface Figures {
  readonly seconds: number;
  readonly serverCpuMs: number;
  readonly generatorCpuMs: number;
  readonly memoryMb: number;
  /** How far memory rose above where it stood when counting began. */
  readonly growthMb: number;
  readonly streams: readonly StreamFigures[];
}

const numberOf = (value: unknown, name: string): number => {
  const found = field(value, name);
  // JSON writes NaN as null.
  return typeof found === 'number' ? found : NaN;
};

/** A plan from its JSON. Throws when it is none. */
export function readPlan(json: string): Plan {
  const plan: unknown = JSON.parse(json);
  return {
    port: numberOf(plan, 'port'),
    pid: numberOf(plan, 'pid'),
    warmupSeconds: numberOf(plan, 'warmupSeconds'),
    seconds: numberOf(plan, 'seconds'),
    streams: array(field(plan, 'streams')).map((stream) => ({
      connections: numberOf(stream, 'connections'),
      ...('perSecond' in record(stream) && { perSecond: numberOf(stream, 'perSecond') }),
      requests: array(field(stream, 'requests')).map((request) => ({
        method: textOf(request, 'method') === 'POST' ? 'POST' : 'GET',
        path: textOf(request, 'path'),
        ...('body' in record(request) && { body: textOf(request, 'body') }),
      })),
    })),
  };
}

/** Figures from their JSON. Throws when they are none. */
export function readFigures(json: string): Figures {
  const figures: unknown = JSON.parse(json);
  return {
    seconds: numberOf(figures, 'seconds'),
    serverCpuMs: numberOf(figures, 'serverCpuMs'),
    generatorCpuMs: numberOf(figures, 'generatorCpuMs'),
    memoryMb: numberOf(figures, 'memoryMb'),
    growthMb: numberOf(figures, 'growthMb'),
    streams: array(field(figures, 'streams')).map((stream) => ({
      answers: numberOf(stream, 'answers'),
      failures: numberOf(stream, 'failures'),
      perSecond: numberOf(stream, 'perSecond'),
      p50: numberOf(stream, 'p50'),
      p99: numberOf(stream, 'p99'),
      most: numberOf(stream, 'most'),
    })),
  };
}
