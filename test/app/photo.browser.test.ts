import assert from 'node:assert/strict';
import { type TestContext, describe } from 'node:test';
import type { Page } from 'playwright-core';
import { cleanImage } from '../../src/catalogue/images/image.ts';
import { NO_BROWSER, test } from '../support/chromium.ts';
import { jpegExif } from '../support/image-metadata.ts';
import { intoJpeg } from '../support/images.ts';
import { openNew } from '../support/web-app.ts';

/** What the service accepts. */
const THUMBNAIL_BYTES = 150 * 1_024;

interface Shrunk {
  readonly photo: string;
  readonly thumbnail: string | null;
  /** Red, green and blue at its top left. */
  readonly corner: readonly number[] | null;
}

// Files go to the page and back as texts in base64.
const TOOLS = `
  window.toText = async (blob) => {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
  };
  window.noise = async (width, height) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    const image = context.createImageData(width, height);
    for (let at = 0, seed = 1; at < image.data.length; at += 1)
      image.data[at] = at % 4 === 3 ? 255 : (seed = (seed * 16807) % 2147483647) % 256;
    context.putImageData(image, 0, 0);
    return toText(await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 }));
  };
  window.shrink = async (text) => {
    const { shrunk } = await import(document.documentElement.dataset.base + '/place/photos.js');
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const { photo, thumbnail } = await shrunk(new Blob([bytes]));
    const picture = await createImageBitmap(photo).catch(() => undefined);
    const context = new OffscreenCanvas(20, 20).getContext('2d');
    if (picture) context.drawImage(picture, 0, 0);
    return {
      photo: await toText(photo),
      thumbnail: thumbnail ? await toText(thumbnail) : null,
      corner: picture ? [...context.getImageData(10, 10, 1, 1).data].slice(0, 3) : null,
    };
  };
`;

async function openTools(t: TestContext): Promise<Page> {
  const { page } = await openNew(t, { path: '/join' });
  await page.evaluate(TOOLS);
  return page;
}

async function noise(page: Page, width: number, height: number): Promise<Buffer> {
  return Buffer.from(await page.evaluate<string>(`noise(${width}, ${height})`), 'base64');
}

const shrink = (page: Page, file: Buffer): Promise<Shrunk> =>
  page.evaluate<Shrunk>(`shrink('${file.toString('base64')}')`);

function sizeOf(text: string | null): readonly number[] {
  const result = cleanImage(Buffer.from(text ?? '', 'base64'));
  if (!result.ok) throw new Error(result.fault);
  return [result.image.width, result.image.height];
}

// A large one is sent in photos.browser.test.ts.
describe('A photo that is sent', { skip: NO_BROWSER }, () => {
  test('loses the place where it was taken also when it is small enough as it is', async (t) => {
    const page = await openTools(t);
    const { photo } = await shrink(page, intoJpeg(await noise(page, 600, 400), [jpegExif(1)]));
    assert.deepEqual(sizeOf(photo), [600, 400]);
    assert.equal(Buffer.from(photo, 'base64').includes('canary'), false);
  });

  test('has a thumbnail within its limit, however noisy it is', async (t) => {
    const page = await openTools(t);
    const { thumbnail } = await shrink(page, await noise(page, 1280, 1280));
    const [width = 0] = sizeOf(thumbnail);
    assert.ok(width <= 640 && width >= 320);
    assert.ok(Buffer.from(thumbnail ?? '', 'base64').length <= THUMBNAIL_BYTES);
  });

  test('keeps its proportions, and a pixel of its shorter side', async (t) => {
    const page = await openTools(t);
    const { photo, thumbnail } = await shrink(page, await noise(page, 3000, 2));
    assert.deepEqual(
      [sizeOf(photo), sizeOf(thumbnail)],
      [
        [2560, 2],
        [640, 1],
      ],
    );
  });

  test('shows white where a picture is transparent', async (t) => {
    const page = await openTools(t);
    const file = await page.evaluate<string>(
      `(() => {
        const canvas = new OffscreenCanvas(40, 30);
        canvas.getContext('2d').clearRect(0, 0, 40, 30);
        return canvas.convertToBlob({ type: 'image/png' }).then(toText);
      })()`,
    );
    const { corner } = await shrink(page, Buffer.from(file, 'base64'));
    assert.deepEqual(corner, [255, 255, 255]);
  });

  test('is the file itself where the browser cannot decode it', async (t) => {
    const file = Buffer.from('no picture at all');
    const answer = await shrink(await openTools(t), file);
    assert.deepEqual(answer, { photo: file.toString('base64'), thumbnail: null, corner: null });
  });
});
