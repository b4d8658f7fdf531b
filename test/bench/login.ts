import { Agent } from 'node:http';
import { type Outcome, ask } from '../faults/support.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { startServerProcess } from '../support/cli.ts';
import { LOCAL, changeStored } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';
import { quantile } from './figures.ts';

// Does the time that a refused login takes tell why it was refused? A line of JSON for each reason.

const ROUNDS = Number(process.env['ROUNDS'] ?? 5_000);
// So many accounts of each kind that none has a hundred failures in a row.
const ACCOUNTS = 400;
const PASSWORD = 'the right password';
const WRONG = 'some wrong password';

/** A client on one connection; each request comes from another address, so that no limit is in the way. */
function createSender(port: number): (path: string, body: object) => Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let count = 0;
  return (path, body) => {
    count += 1;
    const address = `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
    return ask(port, `/api${path}`, { method: 'POST', agent, headers, body: JSON.stringify(body) });
  };
}

const rounded = (value: number): number => Number(value.toFixed(3));

/** Welch's t of two samples: beyond 4.5 they differ for certain. */
function welch(a: readonly number[], b: readonly number[]): number {
  const [first, second] = [a, b].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
    return { mean, error: square / values.length };
  });
  if (!first || !second) return 0;
  return (first.mean - second.mean) / Math.sqrt(first.error + second.error);
}

/** Measures whether unknown, wrong, of a provider and inactive take the same time, and prints what was found. */
export async function run(t: Cleanup): Promise<void> {
  const folder = temporaryFolder(t);
  const { url } = await startServerProcess(t, { ...LOCAL, DATA_DIR: folder, HOST: '127.0.0.1' });
  const send = createSender(Number(new URL(url).port));
  for (let index = 0; index < ACCOUNTS; index += 1)
    for (const kind of ['wrong', 'provider', 'inactive']) {
      const name = `${kind}${index}`;
      const account = { email: `${name}@example.com`, username: name, password: PASSWORD };
      await send('/auth/register', account);
    }
  changeStored(
    folder,
    "UPDATE users SET password_hash = NULL, provider = 'idp' WHERE email LIKE 'provider%'",
  );
  changeStored(folder, "UPDATE users SET is_active = 0 WHERE email LIKE 'inactive%'");
  const kinds = ['unknown', 'wrong', 'provider', 'inactive'] as const;
  const times = new Map<string, number[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const kind of kinds.toSorted(() => Math.random() - 0.5)) {
      const email = `${kind}${round % ACCOUNTS}@example.com`;
      const password = kind === 'inactive' ? PASSWORD : WRONG;
      const { status, ms } = await send('/auth/login', { email, password });
      if (status !== 401) throw new Error(`a refusal answered ${status}`);
      times.get(kind)?.push(ms);
    }
  const unknown = times.get('unknown') ?? [];
  for (const [kind, own] of times) {
    const medianMs = quantile(own, 0.5);
    const gapMs = rounded(medianMs - quantile(unknown, 0.5));
    const figures = {
      rounds: own.length,
      medianMs: rounded(medianMs),
      gapMs,
      t: rounded(welch(unknown, own)),
    };
    console.log(JSON.stringify({ kind, ...figures }));
  }
}
