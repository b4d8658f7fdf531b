import { content, json, ok, text } from '../../http/reply.ts';
import { PUBLIC_READ, type Route } from '../../http/router.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { createMetricsAccess } from './access.ts';
import { EXPOSITION_TYPE, exposition, ifReadable } from './exposition.ts';
import { type Measured, createFamilies } from './families.ts';
import { watchEventLoop } from './process.ts';
import { Traffic } from './traffic.ts';

export interface MonitoringOptions extends Measured {
  /** What scrapers on other machines must send; undefined if there is no token. */
  readonly metricsToken: string | undefined;
  /** True while the disk of the data folder is full. */
  readonly isFull: () => boolean;
}

/** Health and metrics. */
export class Monitoring {
  readonly routes: readonly Route[];
  /** Observes each answered request. */
  readonly traffic = new Traffic();
  readonly #ping;
  readonly #hasFailed: () => boolean;
  readonly #eventLoop = watchEventLoop();

  constructor(sql: QueryFile, options: MonitoringOptions) {
    this.#ping = sql.prepare('ping');
    this.#hasFailed = () => options.transactions.hasFailed();
    const checkAccess = createMetricsAccess(options.metricsToken);
    const families = createFamilies(sql, options, this.traffic, this.#eventLoop);
    // A full disk fails only /api/health. /health decides whether a container gets requests or is restarted, which
    // would not help; reads still work.
    this.routes = [
      {
        ...PUBLIC_READ,
        pattern: '/api/health',
        operationId: 'getHealth',
        handle: () =>
          this.isWell() && !options.isFull() ? ok({ status: 'ok' }) : json(503, { status: 'unavailable' }),
      },
      {
        ...PUBLIC_READ,
        pattern: '/health',
        limit: 'exempt',
        query: 'ignored',
        isUncounted: true,
        operationId: 'getPlainHealth',
        handle: () => (this.isWell() ? text(200, 'healthy') : text(503, 'unavailable')),
      },
      {
        ...PUBLIC_READ,
        credentials: ['metricsToken'],
        answers: 'private',
        pattern: '/api/metrics',
        operationId: 'getMetrics',
        handle: async ({ request, work }) => {
          checkAccess(request);
          const body = Buffer.from(exposition(await families(work)));
          return content(EXPOSITION_TYPE, body);
        },
      },
    ];
  }

  /** True while the database is readable and writable. */
  isWell(): boolean {
    // The first request that needs more of the database logs why it does not answer.
    return !this.#hasFailed() && ifReadable(() => this.#ping.get()) !== undefined;
  }

  stop(): void {
    this.#eventLoop.stop();
  }
}
