import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppInternals, createApp } from '../../src/app.ts';
import { Passwords } from '../../src/people/accounts/passwords.ts';
import { readConfig } from '../../src/config/config.ts';
import { parseAddressRanges } from '../../src/http/address.ts';
import type { LingerLimits } from '../../src/http/connections.ts';
import { createLogger } from '../../src/http/log.ts';
import type { Route } from '../../src/http/router.ts';
import { startServer } from '../../src/http/server.ts';
import { databasePath } from '../../src/storage/database.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { type Cleanup, atEnd } from './cleanup.ts';
import { type Client, createClient } from './client.ts';
import { watch } from './watch.ts';

/** Settings, by the names of their variables. */
export type Variables = Readonly<Record<string, string>>;

/** A running service of the test's own, and a client for it. */
export interface Service {
  readonly url: string;
  readonly port: number;
  /** Where plain HTTP is led to TLS; undefined where the service does not end it. */
  readonly redirectPort: number | undefined;
  readonly folder: string;
  readonly api: Client;
  /** Those of the API. */
  readonly routes: readonly Route[];
  /** Those of the web app. */
  readonly webApp: readonly Route[];
  /** The log lines written so far, parsed. */
  readonly logs: readonly unknown[];
  /** A line for each refused request so far, with the answer to it. */
  readonly refused: readonly string[];
  /** Stops it before the test ends. */
  readonly stop: () => Promise<void>;
  /** Loads what the start leaves to the first requests. */
  readonly loadAhead: () => Promise<unknown>;
  /** Takes the database away while the service goes on. */
  readonly closeStorage: () => void;
}

/** A folder that is removed after the test. */
export function temporaryFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
  atEnd(t, () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

// A hash at full cost takes 30 ms of the processor, and each pair of threads as much to start.
const cheapPasswords = new Passwords({ memoryCost: 64, timeCost: 1, parallelism: 1 });

let empty: Buffer | undefined;

/** A folder with a database that is as new, which takes a third of the time to open that it takes to make one. */
function freshFolder(t: Cleanup): string {
  const folder = temporaryFolder(t);
  if (empty) {
    writeFileSync(databasePath(folder), empty);
    return folder;
  }
  openStorage(folder).close();
  empty = readFileSync(databasePath(folder));
  return folder;
}

/** Limits of the server that no variable sets, so that no test has to wait for them. */
export interface Internals extends AppInternals {
  readonly linger?: LingerLimits;
}

/**
 * Starts the real service on a real database file and a free port; limits are off unless `variables` turn them on. The
 * test fails at its end when an answer was not as documented.
 */
export async function startService(
  t: Cleanup,
  variables: Variables = {},
  { linger, ...internals }: Internals = {},
): Promise<Service> {
  const folder = variables['DATA_DIR'] ?? freshFolder(t);
  const result = readConfig({
    RATE_LIMIT_PER_MINUTE: '0',
    PORT: '0',
    HTTPS_PORT: '0',
    ...variables,
    DATA_DIR: folder,
  });
  if (!result.ok) throw new Error(result.faults.join('\n'));
  const { config } = result;
  const logs: unknown[] = [];
  const write = (line: string): void => {
    logs.push(JSON.parse(line));
  };
  const logger = createLogger({ level: config.logLevel, pretty: false, write });
  const app = await createApp(config, logger, { passwords: cheapPasswords, ...internals });
  const { tls } = config.operations;
  const { pipeline, refused, check } = watch(app.handle, app.webApp);
  // Registered first, so that it runs when the service has stopped and every answer is out.
  atEnd(t, check);
  const server = await startServer(pipeline, {
    host: config.host,
    port: config.port,
    maxConnectionsPerAddress: config.maxConnectionsPerAddress,
    maxConnections: undefined,
    trustedProxies: parseAddressRanges(config.trustedProxies),
    tls: tls && { ...tls, logger, isWell: app.isWell, checkEveryMs: 50 },
    linger,
  });
  let stopped: Promise<void> | undefined;
  let open = true;
  const closeStorage = (): void => {
    if (open) app.close();
    open = false;
  };
  const stop = (): Promise<void> => {
    app.endStreams();
    return (stopped ??= server.stop(1_000).then(closeStorage));
  };
  atEnd(t, stop);
  const { port, redirectPort } = server;
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  const { routes, webApp } = app;
  return {
    url,
    port,
    redirectPort,
    folder,
    api: createClient(url),
    routes,
    webApp,
    logs,
    refused,
    loadAhead: app.loadAhead,
    stop,
    closeStorage,
  };
}
