import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { THUMBNAIL_BYTES, firstWithin, fitted } from '../../static/app/photo.js';
import { NO_BROWSER, launch } from '../support/docs-page.ts';
import { CANARIES, jpegExif } from '../support/image-metadata.ts';
import { intoJpeg } from '../support/images.ts';
import { cleanImage } from '../../src/images/image.ts';

test('A photo keeps its proportions, and is never enlarged', () => {
  assert.deepEqual(fitted({ width: 4000, height: 3000 }, 2560), { width: 2560, height: 1920 });
  assert.deepEqual(fitted({ width: 3000, height: 4000 }, 2560), { width: 1920, height: 2560 });
  assert.deepEqual(fitted({ width: 640, height: 480 }, 2560), { width: 640, height: 480 });
  assert.deepEqual(fitted({ width: 12_000, height: 3 }, 640), { width: 640, height: 1 });
});

test('A thumbnail gets worse until it is small enough, and is left out where it never is', async () => {
  const sizes = [400, 200, 100];
  const tried: number[] = [];
  const encode = (size: number): Promise<Blob | null> => {
    tried.push(size);
    return Promise.resolve(size === 400 ? null : new Blob(['x'.repeat(size)]));
  };
  assert.equal((await firstWithin(sizes, encode, 200))?.size, 200);
  assert.deepEqual(tried, [400, 200]);
  assert.equal(await firstWithin(sizes, encode, 50), undefined);
});

interface Shrunk {
  readonly photo: string;
  readonly thumbnail: string | null;
  /** Red, green and blue at the top left and at the bottom right. */
  readonly corners: readonly (readonly number[])[];
}

const PAGE = `
  window.toText = async (blob) => {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
  };
  window.paint = async (width, height, isNoise) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (isNoise) {
      const image = context.createImageData(width, height);
      for (let at = 0, seed = 1; at < image.data.length; at += 1)
        image.data[at] = at % 4 === 3 ? 255 : (seed = (seed * 16807) % 2147483647) % 256;
      context.putImageData(image, 0, 0);
    } else {
      context.fillStyle = '#fff';
      context.fillRect(0, 0, width, height);
      context.fillStyle = '#c00';
      context.fillRect(0, 0, width / 2, height / 2);
    }
    return toText(await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 }));
  };
  window.shrink = async (text) => {
    const { shrunk } = await import('/photo.js');
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const { photo, thumbnail } = await shrunk(new Blob([bytes]));
    const corners = [];
    const picture = await createImageBitmap(photo).catch(() => undefined);
    if (picture) {
      const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
      context.drawImage(picture, 0, 0);
      for (const [x, y] of [[10, 10], [picture.width - 10, 10]])
        corners.push([...context.getImageData(x, y, 1, 1).data].slice(0, 3));
    }
    return { photo: await toText(photo), thumbnail: thumbnail ? await toText(thumbnail) : null, corners };
  };
`;

describe('A photo that is sent', { skip: NO_BROWSER }, () => {
  let browser: Browser;
  let page: Page;
  before(async () => {
    browser = await launch();
    page = await browser.newPage();
    const body = await readFile('static/app/photo.js', 'utf8');
    await page.route('**/*', (route) =>
      route.fulfill(
        route.request().url().endsWith('.js')
          ? { contentType: 'text/javascript', body }
          : { contentType: 'text/html', body: '' },
      ),
    );
    await page.goto('http://localhost/');
    await page.evaluate(PAGE);
  });
  after(() => browser.close());

  const paint = async (width: number, height: number, isNoise = false): Promise<Buffer> =>
    Buffer.from(await page.evaluate<string>(`paint(${width}, ${height}, ${isNoise})`), 'base64');
  const shrink = (file: Buffer): Promise<Shrunk> =>
    page.evaluate<Shrunk>(`shrink('${file.toString('base64')}')`);
  const sizeOf = (text: string | null): readonly number[] => {
    const result = cleanImage(Buffer.from(text ?? '', 'base64'));
    if (!result.ok) throw new Error(result.fault);
    return [result.image.width, result.image.height];
  };

  test('has at most 2,560 pixels a side, upright, without the place where it was taken', async () => {
    const file = intoJpeg(await paint(4000, 3000), [jpegExif(6)]);
    const { photo, thumbnail, corners } = await shrink(file);
    assert.deepEqual(sizeOf(photo), [1920, 2560]);
    assert.deepEqual(sizeOf(thumbnail), [480, 640]);
    // Orientation 6: what the sensor saw at the top left belongs to the top right.
    const [[, green = 0] = [], [red = 0, dark = 255] = []] = corners;
    assert.ok(green > 240 && red > 180 && dark < 30, JSON.stringify(corners));
    for (const bytes of [photo, thumbnail ?? ''].map((text) =>
      Buffer.from(text, 'base64').toString('latin1'),
    ))
      assert.deepEqual(
        [...CANARIES, 'Exif'].filter((word) => bytes.includes(word)),
        [],
      );
  });

  test('loses the place also when it is small enough as it is', async () => {
    const { photo } = await shrink(intoJpeg(await paint(600, 400), [jpegExif(1)]));
    assert.deepEqual(sizeOf(photo), [600, 400]);
    assert.equal(Buffer.from(photo, 'base64').includes('canary'), false);
  });

  test('has a thumbnail within its limit, however noisy it is', async () => {
    const { thumbnail } = await shrink(await paint(1280, 1280, true));
    const [width = 0] = sizeOf(thumbnail);
    assert.ok(width <= 640 && width >= 320);
    assert.ok(Buffer.from(thumbnail ?? '', 'base64').length <= THUMBNAIL_BYTES);
  });

  test('shows white where a picture is transparent', async () => {
    const file = await page.evaluate<string>(
      `(() => {
        const canvas = new OffscreenCanvas(40, 30);
        canvas.getContext('2d').clearRect(0, 0, 40, 30);
        return canvas.convertToBlob({ type: 'image/png' }).then(toText);
      })()`,
    );
    const { corners } = await shrink(Buffer.from(file, 'base64'));
    assert.deepEqual(corners, [
      [255, 255, 255],
      [255, 255, 255],
    ]);
  });

  test('is the file itself where the browser cannot decode it', async () => {
    const file = Buffer.from('no picture at all');
    assert.deepEqual(await shrink(file), { photo: file.toString('base64'), thumbnail: null, corners: [] });
  });
});
