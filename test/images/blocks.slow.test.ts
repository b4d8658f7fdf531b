import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type ServerProcess, startServerProcess } from '../support/cli.ts';
import {
  faultOf,
  intoJpeg,
  intoPng,
  jpegSegment,
  pngChunk,
  sample,
  webpChunk,
  webpFile,
  webpFrame,
  webpHeader,
} from '../support/images.ts';
import { form, photoPart, sendForm } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';

const UPLOADS = 40;
// Times the processor time of honest uploads, which is about what they take; the rest is for a busy machine.
const MOST = 8;

const times = (count: number, make: (index: number) => readonly Buffer[]): Buffer[] =>
  Array.from({ length: count }, (_, index) => make(index)).flat();
const control = pngChunk('fcTL', Buffer.alloc(26));
const note = pngChunk('tEXt', '');

describe('a photo in many parts', () => {
  const once: readonly (readonly [string, Buffer])[] = [
    ['gAMA', Buffer.alloc(4)],
    ['cHRM', Buffer.alloc(32)],
    ['sRGB', Buffer.alloc(1)],
    ['iCCP', Buffer.alloc(9)],
    ['sBIT', Buffer.alloc(3)],
    ['bKGD', Buffer.alloc(6)],
    ['pHYs', Buffer.alloc(9)],
    ['tRNS', Buffer.alloc(6)],
    ['cICP', Buffer.alloc(4)],
    ['mDCV', Buffer.alloc(24)],
    ['cLLI', Buffer.alloc(8)],
    ['acTL', Buffer.alloc(8)],
  ];
  for (const [type, data] of once)
    test(`is refused with ${type} twice, which a PNG has once`, () => {
      const chunk = pngChunk(type, data);
      assert.equal(faultOf(intoPng(sample('png'), [chunk])), undefined);
      assert.equal(faultOf(intoPng(sample('png'), [chunk, chunk])), 'photo is damaged');
    });

  test('may have what is dropped, and the frames of an animation, more than once', () => {
    const frames = times(100, () => [control, note, pngChunk('eXIf', 'no block'), pngChunk('tIME', '')]);
    assert.equal(faultOf(intoPng(sample('png'), frames)), undefined);
  });

  const profile = jpegSegment(0xe2, 'ICC_PROFILE\0\u0001\u0001x');
  const tables = jpegSegment(0xdd, Buffer.alloc(2));
  const frame = webpFrame(webpChunk('VP8L', sample('lossless').subarray(20)));
  const many: readonly (readonly [string, (count: number) => Buffer, number, number])[] = [
    [
      'chunks of a PNG',
      (count) =>
        intoPng(
          sample('png'),
          times(count, () => [control, note]),
        ),
      900,
      30_000,
    ],
    [
      'segments of a profile',
      (count) =>
        intoJpeg(
          sample('baseline'),
          times(count, () => [profile]),
        ),
      255,
      256,
    ],
    [
      'tables of a JPEG',
      (count) =>
        intoJpeg(
          sample('baseline'),
          times(count, () => [tables]),
        ),
      1_900,
      30_000,
    ],
    [
      'chunks of a WebP',
      (count) =>
        webpFile(
          webpHeader(0x02),
          webpChunk('ANIM', Buffer.alloc(6)),
          frame,
          ...times(count, () => [webpChunk('XMP ', '')]),
        ),
      1_900,
      30_000,
    ],
  ];
  for (const [what, make, enough, tooMany] of many)
    test(`is refused with too many ${what}`, () => {
      assert.equal(faultOf(make(enough)), undefined);
      assert.equal(faultOf(make(tooMany)), 'photo has too many parts');
    });
});

describe('uploads of a photo in many parts', () => {
  /** Seconds of the processor that a process has used, in hundredths. */
  const usedBy = ({ process: { pid = 0 } }: ServerProcess): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  const honest = (size: number): Buffer =>
    intoPng(
      sample('png'),
      times(Math.ceil(size / 8_204), () => [pngChunk('fdAT', randomBytes(8_192))]),
    );
  const pieces = intoPng(
    sample('png'),
    times(1_050, () => [control, note]),
  );

  const hostile: readonly (readonly [string, Buffer, number])[] = [
    ['as many as are accepted', pieces, 201],
    [
      'thirty thousand',
      intoPng(
        sample('png'),
        times(15_000, () => [control, note]),
      ),
      400,
    ],
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
