import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { receiveForm } from '../../src/photos/upload.ts';
import { sample } from '../support/images.ts';
import { listenOnLoopback } from '../support/listen.ts';
import { FORM_TYPE, form, photoPart } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';

describe('a photo that cannot be written', () => {
  for (const size of [0, 100_000, 5_000_000])
    test(`fails its upload, and is not taken for another one, ${size} bytes behind its first`, async (t) => {
      const path = join(temporaryFolder(t), 'arrival');
      writeFileSync(path, '');
      const handle = await open(path, 'r');
      t.after(() => handle.close());
      let failure: unknown;
      const server = createServer((request, response) => {
        receiveForm({ request, watchBody: () => () => undefined }, handle)
          .catch((error: unknown) => {
            failure = error;
          })
          .finally(() => response.end());
      });
      const port = await listenOnLoopback(t, server);
      const body = form(photoPart(Buffer.concat([sample('png'), Buffer.alloc(size)])));
      const headers = { 'Content-Type': FORM_TYPE, Connection: 'close' };
      await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: new Uint8Array(body) });
      assert.ok(failure instanceof Error && 'code' in failure);
      assert.equal(failure.code, 'EBADF');
    });
});
