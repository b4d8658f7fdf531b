import { content, json, ok, text } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
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
  readonly #ping;
  readonly #hasFailed: () => boolean;
  readonly #traffic = new Traffic();
  readonly #eventLoop = watchEventLoop();

  constructor(sql: QueryFile, options: MonitoringOptions) {
    this.#ping = sql.prepare('ping');
    this.#hasFailed = () => options.transactions.hasFailed();
    const checkAccess = createMetricsAccess(options.metricsToken);
    const families = createFamilies(sql, options, this.#traffic, this.#eventLoop);
    const row = { method: 'GET', access: 'public', body: 'none' } as const;
    // A full disk fails only /api/health. /health decides whether a container gets requests or is restarted, which
    // would not help; reads still work.
    this.routes = [
      {
        ...row,
        pattern: '/api/health',
        limit: 'api',
        operationId: 'getHealth',
        handle: () =>
          this.isWell() && !options.isFull() ? ok({ status: 'ok' }) : json(503, { status: 'unavailable' }),
      },
      {
        ...row,
        pattern: '/health',
        limit: 'exempt',
        operationId: 'getPlainHealth',
        handle: () => (this.isWell() ? text(200, 'healthy') : text(503, 'unavailable')),
      },
      {
        ...row,
        pattern: '/api/metrics',
        limit: 'api',
        operationId: 'getMetrics',
        handle: async ({ request }) => {
          checkAccess(request);
          const body = Buffer.from(exposition(await families()));
          return content(EXPOSITION_TYPE, body, { 'Cache-Control': 'no-store' });
        },
      },
    ];
  }

  /** True while the database is readable and writable. */
  isWell(): boolean {
    // The first request that needs more of the database logs why it does not answer.
    return !this.#hasFailed() && ifReadable(() => this.#ping.get()) !== undefined;
  }

  /** Call with each answered request. */
  observe(request: Parameters<Traffic['observe']>[0]): void {
    this.#traffic.observe(request);
  }

  stop(): void {
    this.#eventLoop.stop();
  }
}
