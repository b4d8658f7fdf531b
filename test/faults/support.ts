import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

/** The outcome of a request; status 0 when nothing was answered, -1 when the answer broke off. */
export interface Outcome {
  readonly status: number;
  readonly ms: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

/** The parts of a request other than GET on a connection of any local address. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Keeps connections; without it each request has its own. */
  readonly agent?: Agent;
  readonly localAddress?: string;
}

/** Makes one request and never rejects. The path is absolute. */
export function ask(port: number, path: string, asked: Asked = {}): Promise<Outcome> {
  const { body, agent = new Agent(), ...options } = asked;
  const started = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const settle = (status: number, retryAfter?: string): void => {
      const ms = performance.now() - started;
      resolve({ status, ms, body: Buffer.concat(chunks).toString(), retryAfter });
    };
    const outgoing = request({ host: '127.0.0.1', port, path, agent, ...options }, (response) => {
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('close', () => {
        settle(response.complete ? (response.statusCode ?? 0) : -1, response.headers['retry-after']);
      });
    });
    outgoing.on('error', () => {
      settle(0);
    });
    outgoing.end(body);
  });
}

/** The memory of a process that is in use, in megabytes. */
export function memoryOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8');
  const kilobytes = /VmRSS:\s+(\d+)/.exec(status)?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
