import { request } from 'node:http';
import { parseArgs } from 'node:util';
import { type Command, CommandError } from './command.ts';
import { loadConfig } from './settings.ts';
import { print } from './terminal.ts';

const TIMEOUT_MS = 5_000;

export const healthcheckCommand: Command = {
  name: 'healthcheck',
  summary: 'ask the running service whether it is well',
  help: [
    'Usage: catalogue healthcheck',
    '',
    'Asks GET /api/health of the service on HOST and PORT. Exit code 0: well; 1: not, or no answer within 5 s.',
  ].join('\n'),
  run: async (args) => {
    parseArgs({ args: [...args], options: {} });
    const { host, port } = loadConfig();
    const isEverywhere = host === '0.0.0.0' || host === '::';
    const status = await askHealth(isEverywhere ? '127.0.0.1' : host, port);
    if (status !== 200) throw new CommandError(`unhealthy: the service answered ${status}`);
    print('ok');
    return 0;
  },
};

function askHealth(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host, port, path: '/api/health', timeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    outgoing.on('error', (error) => {
      reject(new CommandError(`unhealthy: ${error.message}`));
    });
    outgoing.end();
  });
}
