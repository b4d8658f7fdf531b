import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type ServerProcess, startServerProcess } from '../../support/cli.ts';
import { intoPng, pngChunk, sample } from '../../support/images.ts';
import { form, photoPart, sendForm } from '../../support/photos.ts';
import { NO_PROC } from '../../support/raw.ts';
import { temporaryFolder } from '../../support/service.ts';

const UPLOADS = 40;
// Times the processor time of honest uploads, which is about what they take; the rest is for a busy machine.
const MOST = 8;

const part = [pngChunk('fcTL', Buffer.alloc(26)), pngChunk('tEXt', '')];

/** A PNG file with so many parts that are kept, and as many that are dropped. */
const inParts = (count: number): Buffer =>
  intoPng(sample('png'), Array.from({ length: count }, () => part).flat());

describe('uploads of a photo in many parts', { skip: NO_PROC }, () => {
  /** Seconds of the processor that a process has used, in hundredths. */
  const usedBy = ({ process: { pid = 0 } }: ServerProcess): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  const honest = (size: number): Buffer => {
    const pieces = Array.from({ length: Math.ceil(size / 8_204) }, () =>
      pngChunk('fdAT', randomBytes(8_192)),
    );
    return intoPng(sample('png'), pieces);
  };

  const hostile: readonly (readonly [string, Buffer, number])[] = [
    ['as many as are accepted', inParts(1_050), 201],
    ['thirty thousand', inParts(15_000), 400],
  ];
  for (const [what, photo, expected] of hostile)
    test(`cost about as much as honest ones: ${what}`, async (t) => {
      const server = await startServerProcess(t, { DATA_DIR: temporaryFolder(t) });
      await server.api.post('/restaurants', { name: 'Chez Nous' });
      const cost = async (bytes: Buffer, status: number): Promise<number> => {
        const before = usedBy(server);
        for (let upload = 0; upload < UPLOADS; upload += 1) {
          const answer = await sendForm(server.api, form(photoPart(bytes)));
          assert.equal(answer.status, status, JSON.stringify(answer.body));
        }
        return Math.max(0.01, usedBy(server) - before);
      };
      await cost(honest(photo.length), 201);
      const [plain, odd] = [await cost(honest(photo.length), 201), await cost(photo, expected)];
      t.diagnostic(JSON.stringify({ bytes: photo.length, honestSeconds: plain, hostileSeconds: odd }));
      assert.ok(odd / plain < MOST, `${odd} s instead of ${plain} s`);
    });
});
