import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { atEnd } from '../support/cleanup.ts';
import { startServerProcess } from '../support/cli.ts';
import { createClient, textOf } from '../support/client.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { LOCAL } from '../support/people.ts';
import { upload } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';
import { startProbe } from './probe.ts';
import { ask, memoryOf, report, yieldToOthers } from './support.ts';

// Two hundred clients log in at once again and again, and what others notice of them: one asks for the health of the
// service and one for a photo.

const CROWD = 200;
const QUIET_MS = 5_000;
const FLOOD_MS = Number(process.env['FLOOD_SECONDS'] ?? 30) * 1_000;
const HEALTH = '/api/health';
const ACCOUNT = { email: 'crowd@example.com', username: 'crowd', password: 'the right password' };

await report(16, 'a flood of logins', async (t) => {
  const variables = { ...LOCAL, DATA_DIR: temporaryFolder(t) };
  const { url, process: server } = await startServerProcess(t, variables);
  const port = Number(new URL(url).port);
  const agent = new Agent({ keepAlive: true, maxSockets: CROWD });
  atEnd(t, () => {
    agent.destroy();
  });
  let count = 0;
  // Each from an address of its own, so that no limit is in the way.
  const post = (path: string): ReturnType<typeof ask> => {
    count += 1;
    const address = `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
    return ask(port, path, { method: 'POST', headers, body: JSON.stringify(ACCOUNT), agent });
  };
  const registered = await post('/api/auth/register');
  if (registered.status !== 201) throw new Error('the account was not made');
  const token = textOf(JSON.parse(registered.body), 'access_token');
  const api = createClient(url, { Authorization: `Bearer ${token}` });
  await api.post('/restaurants', { name: 'Chez Nous' });
  const photo = textOf((await upload(api, phonePhoto(200_000, 6))).body, 'url');
  const watch = async (forMs: number, work: () => Promise<unknown>): ReturnType<typeof both> => {
    const stops = [await startProbe(t, port, HEALTH), await startProbe(t, port, photo)] as const;
    await Promise.all([pause(forMs), work()]);
    return both(stops);
  };

  const quiet = await watch(QUIET_MS, () => Promise.resolve());
  const before = memoryOf(server.pid);
  const statuses = new Map<number, number>();
  let withoutHint = 0;
  const flood = async (): Promise<void> => {
    yieldToOthers();
    const until = performance.now() + FLOOD_MS;
    const client = async (): Promise<void> => {
      while (performance.now() < until) {
        const { status, retryAfter } = await post('/api/auth/login');
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== 200 && retryAfter === undefined) withoutHint += 1;
        if (status !== 200) await pause(100);
      }
    };
    await Promise.all(Array.from({ length: CROWD }, client));
  };
  const noticed = await watch(FLOOD_MS, flood);
  const moreMb = memoryOf(server.pid, 'peak') - before;
  const served = [noticed.health, noticed.photo].every((each) => each.served === each.asked);
  return {
    figures: { clients: CROWD, statuses: Object.fromEntries(statuses), withoutHint, quiet, noticed, moreMb },
    bounds: {
      served,
      health: noticed.health.p99 <= 50,
      photo: noticed.photo.p99 <= 100,
      memory: moreMb <= 100,
      refused: withoutHint === 0 && [...statuses.keys()].every((status) => [200, 429, 503].includes(status)),
    },
  };
});

type Stop = Awaited<ReturnType<typeof startProbe>>;
type Noticed = Awaited<ReturnType<Stop>>;

async function both([health, photo]: readonly [Stop, Stop]): Promise<{ health: Noticed; photo: Noticed }> {
  return { health: await health(), photo: await photo() };
}
