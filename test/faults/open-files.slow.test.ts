import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { type Socket, connect } from 'node:net';
import { describe, test } from 'node:test';
import { atEnd } from '../support/cleanup.ts';
import { startServerProcess, withOpenFiles } from '../support/cli.ts';
import { textOf } from '../support/client.ts';
import { FORM_TYPE, form, photoPart, storedFiles, upload } from '../support/photos.ts';
import { openFilesOf } from '../support/raw.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Outcome, ask } from './support.ts';

// Fewer than two files for each connection that the service takes.
const OPEN_FILES = 600;
const UPLOADS = 320;
// So that none of them waits for another one from its address.
const ADDRESSES = 20;
const TOO_MANY = '{"error":"Too many files are open. Please try again."}';

/** Begins an upload from the address that has the number. */
async function beginUpload(port: number, address: number, body: Buffer): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.1.${address}` });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `POST /api/restaurants/1/photos HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, 300));
  return socket;
}

describe('a service that may open no more files', () => {
  test('says so with 503, stores what needs none, and is well again once there are', async (t) => {
    const DATA_DIR = temporaryFolder(t);
    const {
      url,
      api,
      process: server,
    } = await startServerProcess(t, { DATA_DIR }, { under: withOpenFiles(OPEN_FILES) });
    const port = Number(new URL(url).port);
    await api.post('/restaurants', { name: 'Chez Nous' });
    const photo = textOf((await upload(api)).body, 'url');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    atEnd(t, () => {
      agent.destroy();
    });
    await ask(port, '/api/health', { agent });
    const before = openFilesOf(server.pid);
    const body = form(photoPart());
    const begin = (index: number): Promise<Socket> => beginUpload(port, 1 + (index % ADDRESSES), body);
    const uploads = await Promise.all(Array.from({ length: UPLOADS }, (_, index) => begin(index)));

    const post = (path: string, type: string, bytes: string | Buffer): Promise<Outcome> =>
      ask(port, path, { agent, method: 'POST', headers: { 'Content-Type': type }, body: bytes });
    let accepted = 1;
    /** An upload that finds no room for its own file makes room for another: more come until the request finds none. */
    const refusalOf = async (request: () => Promise<Outcome>): Promise<Outcome> => {
      for (;;) {
        const outcome = await request();
        if (outcome.status >= 400) return outcome;
        if (outcome.status === 201) accepted += 1;
        uploads.push(await begin(uploads.length));
      }
    };
    for (const refused of [
      await refusalOf(() => ask(port, photo, { agent })),
      await refusalOf(() => post('/api/restaurants/1/photos', FORM_TYPE, body)),
    ])
      assert.deepEqual([refused.status, refused.body, refused.retryAfter], [503, TOO_MANY, '1']);
    const stored = await post('/api/categories', 'application/json', '{"name":"Needs no file"}');
    assert.equal(stored.status, 201);

    for (const socket of uploads) socket.destroy();
    await until(() => openFilesOf(server.pid) <= before);
    assert.equal((await ask(port, photo, { agent })).status, 200);
    assert.equal((await upload(api)).status, 201);
    // The file of an upload that was cut short is closed first, and removed then.
    await until(() => storedFiles(DATA_DIR).length === accepted + 1);
    assert.equal(server.exitCode, null);
  });
});
