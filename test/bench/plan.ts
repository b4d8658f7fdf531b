/** A request of the load generator; `body` is JSON. */
export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Requests of one name are counted apart as well. */
  readonly group?: string;
}

/**
 * Clients that do the same kind of thing: one request after the other on each connection, in the order given, then from
 * the start again.
 */
export interface Stream {
  readonly connections: number;
  /** Requests a second in all; without it as many as are answered. */
  readonly perSecond?: number;
  /** No request is sent twice: counting ends with the answer to the last one. */
  readonly once?: boolean;
  readonly requests: readonly BenchRequest[];
}

/** The order to the load generator. */
export interface Plan {
  readonly port: number;
  /** The server's process, whose processor time and memory are read. */
  readonly pid: number;
  /** Seconds of the server's processor time before counting starts. */
  readonly warmupSeconds: number;
  /** Seconds of the server's processor time that are counted. */
  readonly seconds: number;
  readonly streams: readonly Stream[];
}

/** Times in milliseconds of the answers to some requests. */
export interface Times {
  readonly answers: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** The path of the request that took longest. */
  readonly worstPath: string;
}

/** The result of a stream within the counted seconds. */
export interface StreamFigures extends Times {
  /** The answers with another status than 200 or 201. */
  readonly failures: number;
  readonly perSecond: number;
  /** The same of each group, by its name. */
  readonly groups: Readonly<Record<string, Times>>;
}

/** The result of a plan. Processor time in milliseconds, memory in megabytes; NaN where the system does not say. */
export interface Figures {
  readonly seconds: number;
  readonly serverCpuMs: number;
  readonly generatorCpuMs: number;
  readonly memoryMb: number;
  /** How far memory rose above where it stood when counting began. */
  readonly growthMb: number;
  readonly streams: readonly StreamFigures[];
}
