import { startServerProcess, withOpenFiles } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { type CrowdPlan, startCrowd } from './crowd.ts';
import { type Found, hundredths, measureQuiet, memoryOf, report, startHonestClient } from './support.ts';

// Ten thousand connections that send their headers a line a second, and a thousand that send their bodies so, from one
// address and from two hundred, while an honest client asks from another one.

const HEADERS = 10_000;
const BODIES = 1_000;
const MANY = 200;
const OPEN_FILES = 4_096;
const HEALTH = '/api/health';
const [HEADERS_MS, BODY_MS] = [12_000, 22_000];
const SLOW_HEADERS = { text: 'GET /api/health HTTP/1.1\r\nHost: x\r\n', drip: 'X-A: b\r\n' };
const SLOW_BODY = {
  text: 'POST /api/categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n',
  drip: ' ',
};

async function measure(addresses: number): Promise<void> {
  await report(addresses === 1 ? 12 : 13, `a slow crowd from ${addresses} addresses`, async (t) => {
    const variables = { DATA_DIR: temporaryFolder(t), TRUSTED_PROXIES: 'none' };
    const { url, process: server } = await startServerProcess(t, variables, {
      under: withOpenFiles(OPEN_FILES),
    });
    const port = Number(new URL(url).port);
    const quiet = await measureQuiet(port, HEALTH, 5_000);
    const before = memoryOf(server.pid);
    const plan = (count: number, kind: Pick<CrowdPlan, 'text' | 'drip'>): CrowdPlan => ({
      ...kind,
      port,
      count,
      addresses,
      stayMs: 40_000,
    });
    const stop = startHonestClient(port, HEALTH);
    const crowds = [plan(HEADERS, SLOW_HEADERS), plan(addresses === 1 ? BODIES : 0, SLOW_BODY)];
    const [headers, bodies] = await Promise.all(crowds.map((crowd) => startCrowd(t, crowd).ended));
    const honest = await stop();
    const recovered = await measureQuiet(port, HEALTH, 3_000);
    if (!headers || !bodies) throw new Error('two crowds are needed');
    const moreMb = memoryOf(server.pid, 'peak') - before;
    const found: Found = {
      figures: { quiet, honest, recovered, headers, bodies, moreMb },
      bounds: {
        served: addresses > 1 || honest.served === honest.asked,
        recovered: recovered.served === recovered.asked,
        // A client for whom the crowd leaves no connection is refused at once and does not hang.
        p99: honest.p99 <= Math.max(50, 2 * quiet.p99),
        memory: moreMb <= 150,
        headersCut: headers.held === 0 && headers.cutMs <= HEADERS_MS,
        bodiesCut: bodies.held === 0 && bodies.cutMs <= BODY_MS,
        alive: server.exitCode === null,
      },
    };
    return { ...found, figures: { ...found.figures, ratio: hundredths(honest.p99 / quiet.p99) } };
  });
}

await measure(1);
await measure(MANY);
