import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { receiveForm } from '../../src/photos/upload.ts';
import { atEnd } from '../support/cleanup.ts';
import { sample } from '../support/images.ts';
import { listenOnLoopback } from '../support/listen.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';

describe('a photo that cannot be written', () => {
  for (const [name, size] of [
    ...[0, 100_000, 5_000_000].map((one) => ['photo', one] as const),
    ['thumbnail', 100_000] as const,
  ])
    test(`fails its upload as a ${name}, and is not taken for another one, ${size} bytes behind its first`, async (t) => {
      const path = join(temporaryFolder(t), 'arrival');
      writeFileSync(path, '');
      const handle = await open(path, 'r');
      atEnd(t, () => handle.close());
      const other = await open(`${path}-2`, 'w');
      atEnd(t, () => other.close());
      let failure: unknown;
      const server = createServer((request, response) => {
        receiveForm(
          { request, watchBody: () => () => undefined, recheck: () => undefined },
          { photo: name === 'photo' ? handle : other, openThumbnail: () => Promise.resolve(handle) },
        )
          .catch((error: unknown) => {
            failure = error;
          })
          .finally(() => response.end());
      });
      const port = await listenOnLoopback(t, server);
      const file = { ...photoPart(Buffer.concat([sample('png'), Buffer.alloc(size)])), name };
      const body = form(file, photoPart());
      const headers = { 'Content-Type': FORM_TYPE, Connection: 'close' };
      const signal = AbortSignal.timeout(30_000);
      const init = { method: 'POST', headers, body: new Uint8Array(body), signal };
      await fetch(`http://127.0.0.1:${port}`, init);
      assert.ok(failure instanceof Error && 'code' in failure);
      assert.equal(failure.code, 'EBADF');
    });
});
