import { type IncomingMessage, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { parseArgs } from 'node:util';
import { describeFailure } from '../kit/system-error.ts';
import { type Command, CommandError } from './command.ts';
import { loadSettings } from './settings.ts';
import { print } from './terminal.ts';

const TIMEOUT_MS = 5_000;

export const command: Command = {
  summary: 'check that the service is running',
  help: [
    'Usage: catalogue healthcheck',
    '',
    'Requests GET /health from the service on HOST and PORT, or on HTTPS_PORT if it terminates TLS. Exit code 0 if it is',
    'healthy, 1 if it is not or does not answer within 5 s. No rate limit counts this request.',
  ].join('\n'),
  run: async (args) => {
    parseArgs({ args, options: {} });
    const { host, port, operations } = loadSettings().config;
    const isEverywhere = host === '0.0.0.0' || host === '::';
    const status = await askHealth(isEverywhere ? '127.0.0.1' : host, port, operations.tls?.port);
    if (status !== 200) throw new CommandError(`unhealthy: the service answered ${status}`);
    print('ok');
  },
};

function askHealth(host: string, port: number, httpsPort: number | undefined): Promise<number> {
  const common = { host, path: '/health', timeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) };
  return new Promise((resolve, reject) => {
    const accept = (response: IncomingMessage): void => {
      response.resume();
      resolve(response.statusCode ?? 0);
    };
    // The certificate is issued for the service's public name, not for this address.
    const outgoing =
      httpsPort === undefined
        ? request({ ...common, port }, accept)
        : requestOverTls({ ...common, port: httpsPort, rejectUnauthorized: false }, accept);
    outgoing.on('error', (error) => {
      reject(new CommandError(`unhealthy: ${describeFailure(error)}`));
    });
    outgoing.end();
  });
}
