import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { openStorage } from '../../src/storage/storage.ts';
import { type ServerProcess, startServerProcess } from '../support/cli.ts';
import { type Answer, type Client, field } from '../support/client.ts';
import { form, photoPart, sendForm } from '../support/photos.ts';
import { changeStored, readStored } from '../support/people.ts';
import { temporaryFolder } from '../support/service.ts';
import { rounds } from '../support/size.ts';
import { until } from '../support/until.ts';
import { injectInto, whyNoInjection } from './inject.ts';
import { faultsOfDatabase, faultsOfPhotos, untilAtRest } from './sound.ts';

const skip = whyNoInjection() ?? false;
// Of each system call: the first so many.
const CALLS = rounds(1);
const WRITES = 60;
const TRASH = `ab${'0'.repeat(30)}.jpg`;
const FAILED = { error: 'Storage has failed; the service must be restarted' };

interface Failing {
  readonly server: ServerProcess;
  readonly folder: string;
  /** The names of restaurants that were acknowledged, and of the one that was not. */
  readonly acknowledged: readonly string[];
  readonly refused: string;
  /** The answer that was no acknowledgement; undefined when there were only such. */
  readonly refusal: Answer | undefined;
  readonly letGo: () => Promise<void>;
}

/** Writes to a server, one thing after the other, until its disk fails at the n-th call. */
async function writeUntilItFails(t: TestContext, calls: string, when: number): Promise<Failing> {
  const folder = temporaryFolder(t);
  const hasSwept = plantTrash(folder);
  const server = await startServerProcess(t, { DATA_DIR: folder });
  // What the service does by itself after its start must not get the fault that is meant for a write.
  await until(hasSwept);
  await server.api.post('/restaurants', { name: 'Chez Nous' });
  const letGo = await injectInto(server.process.pid ?? 0, { calls, effect: 'error=EIO', when });
  const acknowledged: string[] = [];
  for (let write = 0; write < WRITES; write += 1) {
    const name = `Number ${write}`;
    const answer = await writeOne(server.api, write, name);
    if (answer.status !== 201) return { server, folder, acknowledged, refused: name, refusal: answer, letGo };
    if (write % 2 === 0) acknowledged.push(name);
  }
  return { server, folder, acknowledged, refused: '', refusal: undefined, letGo };
}

/** Makes a catalogue with old trash, which is emptied last after a start; returns whether it has been. */
function plantTrash(folder: string): () => boolean {
  openStorage(folder).close();
  changeStored(
    folder,
    `INSERT INTO photo_trash (filename, file_size, due_at) VALUES (?, 1, '2020-01-01T00:00:00.000Z')`,
    TRASH,
  );
  return () => readStored(folder, 'SELECT filename FROM photo_trash').length === 0;
}

/** A restaurant and a photo by turns. */
function writeOne(api: Client, write: number, name: string): Promise<Answer> {
  return write % 2 === 0 ? api.post('/restaurants', { name }) : sendForm(api, form(photoPart()));
}

async function assertFailedState({ server: { api }, refusal }: Failing, title: string): Promise<void> {
  assert.deepEqual([refusal?.status, refusal?.body], [503, FAILED], title);
  const next = await api.post('/categories', { name: 'New' });
  assert.deepEqual([next.status, next.body], [503, FAILED], title);
  assert.equal((await api.get('/health')).status, 503, title);
  assert.deepEqual((await api.send('/health', {})).body, 'unavailable', title);
  for (const path of ['/restaurants', '/restaurants/1', '/search?q=chez', '/restaurants/1/photos'])
    assert.equal((await api.get(path)).status, 200, `${title}: ${path}`);
}

/** A write that was not acknowledged may be stored all the same, but whole. */
async function assertStored(t: TestContext, failing: Failing, title: string): Promise<void> {
  const { folder, acknowledged, refused } = failing;
  await startServerProcess(t, { DATA_DIR: folder });
  await untilAtRest(folder);
  const strays = faultsOfPhotos(folder).filter((fault) => fault.startsWith('row without file'));
  assert.deepEqual([...faultsOfDatabase(folder), ...strays], [], title);
  const rows = readStored(folder, 'SELECT name FROM restaurants WHERE id > 1 ORDER BY id');
  const names = rows.map((row) => field(row, 'name')).filter((name) => name !== refused);
  assert.deepEqual(names, acknowledged, title);
}

describe('a disk that fails', { skip }, () => {
  for (const calls of ['fsync,fdatasync', 'pwrite64', 'rename', 'openat'])
    test(`at ${calls} ends all writes with 503 until a restart, reads go on, and nothing acknowledged is lost`, async (t) => {
      let failures = 0;
      for (let when = 1; when <= CALLS; when += 1) {
        const title = `${calls} ${when}`;
        const failing = await writeUntilItFails(t, calls, when);
        if (failing.refusal) {
          failures += 1;
          await assertFailedState(failing, title);
        }
        await failing.letGo();
        failing.server.process.kill('SIGTERM');
        const { code, out } = await failing.server.ended;
        assert.equal(code, 0, title);
        if (failing.refusal) assert.match(out, /"storage failure"/, title);
        await assertStored(t, failing, title);
      }
      assert.ok(failures > 0);
    });
});
