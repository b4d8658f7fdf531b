import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomNumbers } from '../support/catalogue.ts';
import { startServerProcess } from '../support/cli.ts';
import { array, textOf } from '../support/client.ts';
import { phonePhoto } from '../support/image-metadata.ts';
import { inTurns } from '../support/in-turns.ts';
import { FORM_TYPE, form, photoPart, placeOf, storedFiles, upload } from '../support/photos.ts';
import { openFilesOf } from '../support/raw.ts';
import { temporaryFolder } from '../support/service.ts';
import { SEED, scaled } from '../support/size.ts';
import { until } from '../support/until.ts';
import { memoryOf } from './support.ts';

const ROUNDS = 4;
const CLIENTS = scaled(200);
const AT_ONCE = 8;
const MOST_GROWTH_MB = 64;

/** Sends bytes up to the cut, waits a moment, and is gone: with an end or, as a phone without signal, with a reset. */
async function vanish(port: number, bytes: Buffer, cut: number, random: () => number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes.subarray(0, cut));
  socket.once('data', () => socket.pause());
  await pause(random() * 20);
  if (random() < 0.5) socket.destroy();
  else socket.resetAndDestroy();
}

describe('clients that vanish in mid-upload and mid-download', () => {
  test(`leave neither files nor open ones, all ${CLIENTS} of them (seed ${SEED})`, async (t) => {
    const folder = temporaryFolder(t);
    const { url, api, process: server } = await startServerProcess(t, { DATA_DIR: folder });
    const port = Number(new URL(url).port);
    const random = randomNumbers(SEED);
    await api.post('/restaurants', { name: 'Chez Nous' });
    const photo = phonePhoto(6_000_000, 6);
    const address = textOf((await upload(api, photo)).body, 'url');
    const body = form(photoPart(photo));
    const head = `POST /api/restaurants/1/photos HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const uploading = Buffer.concat([Buffer.from(head), body]);
    const downloading = Buffer.from(`GET ${address} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const filesBefore = openFilesOf(server.pid);
    const memory: number[] = [];

    for (let round = 0; round < ROUNDS; round += 1) {
      await inTurns(CLIENTS / ROUNDS, AT_ONCE, (turn) =>
        turn % 2 === 0
          ? vanish(port, uploading, Math.floor(random() * uploading.length), random)
          : vanish(port, downloading, downloading.length, random),
      );
      memory.push(memoryOf(server.pid));
    }

    assert.equal((await upload(api)).status, 201);
    await until(() => openFilesOf(server.pid) <= filesBefore + 1);
    // The file of an upload that was cut short is closed first, and removed then.
    let photos: readonly unknown[] = [];
    await until(async () => {
      photos = array((await api.get('/restaurants/1/photos')).body);
      return storedFiles(folder).join() === photos.map(placeOf).sort().join();
    });
    // The first round fills buffers that stay. A single measurement may come before freed pages are returned.
    const grown = Math.min(...memory.slice(1)) - (memory[0] ?? 0);
    assert.ok(grown < MOST_GROWTH_MB, `RSS in MB: ${memory.join(' ')}`);
  });
});
