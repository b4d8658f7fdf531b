import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Page } from 'playwright-core';
import { cleanImage } from '../../src/catalogue/images/image.ts';
import { openTrattoria } from '../support/app-places.ts';
import { NO_BROWSER, mainPath, test } from '../support/chromium.ts';
import { array, field, textOf } from '../support/client.ts';
import { CANARIES, jpegExif } from '../support/image-metadata.ts';
import { intoJpeg, sample } from '../support/images.ts';
import { makeAdmin } from '../support/people.ts';
import type { Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { PHONE, holds, openApp, press, testAccess } from '../support/web-app.ts';

const PATH = '/restaurants/1';
const FILE = { name: 'plate.jpg', mimeType: 'image/jpeg', buffer: sample('baseline') };

/** The photos of restaurant 1, the newest first. */
const stored = async ({ api }: Service): Promise<readonly unknown[]> =>
  array((await api.get('/restaurants/1/photos')).body);

/** A JPEG file of a camera, red at the top left as the sensor saw it. */
async function paint(page: Page, width: number, height: number): Promise<Buffer> {
  const bytes = await page.evaluate<string>(`(async () => {
    const canvas = new OffscreenCanvas(${width}, ${height});
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, ${width}, ${height});
    context.fillStyle = '#c00';
    context.fillRect(0, 0, ${width / 2}, ${height / 2});
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
    const reader = new FileReader();
    return new Promise((resolve) => {
      reader.onload = () => resolve(reader.result.split(',')[1]);
      reader.readAsDataURL(blob);
    });
  })()`);
  return Buffer.from(bytes, 'base64');
}

async function fileOf({ url }: Service, path: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url + path)).arrayBuffer());
}

describe('Photos', { skip: NO_BROWSER }, () => {
  testAccess('A photo', async (t, options) => {
    const { page } = await openTrattoria(t, { photos: 3, ...options, path: `${PATH}/photos/2` });
    await page.getByRole('button', { name: 'Edit caption' }).click();
    await page.getByRole('textbox', { name: 'Caption' }).waitFor();
    return page;
  });

  testAccess('A photo that could not be sent', async (t, options) => {
    const { page } = await openTrattoria(t, { ...options, refusals: [503] });
    await page.route('**/api/restaurants/1/photos', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    );
    await page.locator('main input[type=file]').setInputFiles(FILE);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    return page;
  });

  mainPath(
    'of 12 megapixels are sent small and upright, with a thumbnail and without the place',
    async (t) => {
      const { page, service } = await openTrattoria(t);
      const buffer = intoJpeg(await paint(page, 4000, 3000), [jpegExif(6)]);
      await page.locator('main input[type=file]').setInputFiles({ ...FILE, buffer });
      await page.getByText('1 photo added').waitFor();
      const [photo] = await stored(service);
      assert.deepEqual([field(photo, 'width'), field(photo, 'height')], [1920, 2560]);
      for (const [name, size] of [
        ['url', [1920, 2560]],
        ['thumbnail_url', [480, 640]],
      ] as const) {
        const bytes = await fileOf(service, textOf(photo, name));
        const read = cleanImage(bytes);
        assert.deepEqual(read.ok && [read.image.width, read.image.height], size);
        assert.deepEqual(
          [...CANARIES, 'Exif'].filter((word) => bytes.includes(word)),
          [],
        );
      }
      // What the sensor saw at the top left stands at the top right.
      await holds(
        page,
        `(() => {
        const picture = document.querySelector('.tile img');
        if (!picture?.complete || !picture.naturalWidth) return false;
        const context = new OffscreenCanvas(480, 640).getContext('2d', { willReadFrequently: true });
        context.drawImage(picture, 0, 0);
        const [left, right] = [20, 460].map((x) => context.getImageData(x, 20, 1, 1).data[1]);
        return left > 240 && right < 30;
      })()`,
      );
    },
  );

  test('are sent two at once, and taken back by one Undo', async (t) => {
    const { page, service } = await openTrattoria(t);
    const held: (() => void)[] = [];
    await page.route('**/api/restaurants/1/photos', async (route) => {
      if (route.request().method() === 'POST') await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    const files = [1, 2, 3].map((at) => ({ ...FILE, name: `${at}.jpg` }));
    await page.locator('main input[type=file]').setInputFiles(files);
    await holds(page, `document.querySelectorAll('.uploads .sending').length === 2`);
    assert.equal(await page.locator('.uploads .waiting').count(), 1);
    for (let at = 0; at < 3; at += 1) {
      await until(() => held.length > at);
      held[at]?.();
    }
    await page.getByText('3 photos added').waitFor();
    await page.locator('.tile').nth(2).waitFor();
    assert.equal((await stored(service)).length, 3);
    await press(page, 'u');
    await page.locator('.nophotos').waitFor();
    assert.deepEqual(await stored(service), []);
  });

  test('offer to try again after a failure, and are stored once', async (t) => {
    const { page, service } = await openTrattoria(t, { refusals: [502] });
    let attempts = 0;
    await page.route('**/api/restaurants/1/photos', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      attempts += 1;
      if (attempts > 1) return route.continue();
      // Stored, but a proxy lost the answer.
      await route.fetch();
      return route.fulfill({ status: 502, body: 'Bad gateway' });
    });
    await page.locator('main input[type=file]').setInputFiles(FILE);
    await page.getByText('The service has a problem.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.uploads').waitFor({ state: 'detached' });
    assert.equal(attempts, 2);
    assert.equal((await stored(service)).length, 1);
  });

  test('that cannot be taken are named, with what to do, and without another try', async (t) => {
    const { page, requests } = await openTrattoria(t, { refusals: [400] });
    const box = (brand: string): Buffer => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0`, 'latin1');
    const files = [
      [box('heic'), 'This is a HEIC picture'],
      [box('avif'), 'This is an AVIF picture'],
      [box('isom'), 'This is a film.'],
      [Buffer.from('\x1aE\xdf\xa3', 'latin1'), 'This is a film.'],
      [Buffer.from('%PDF-1.7'), 'This is a PDF.'],
      [Buffer.from('words'), 'This is not a picture that can be shown here.'],
    ] as const;
    const names = files.map(([buffer], at) => ({ name: `${at}`, mimeType: 'image/jpeg', buffer }));
    await page.locator('main input[type=file]').setInputFiles(names);
    await holds(page, `document.querySelectorAll('.uploads .failed').length === ${files.length}`);
    const shown = await page.locator('.uploads .failed').allInnerTexts();
    for (const [at, [, text]] of files.entries()) assert.ok(shown[at]?.includes(text), shown[at]);
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    assert.equal(
      requests.filter((request) => request.startsWith('POST /api/restaurants/1/photos')).length,
      1,
    );
  });

  test('that are chosen without a connection wait for one, and are stored once', async (t) => {
    const app = await openTrattoria(t, { unreachable: true });
    const { service } = app;
    await app.context.setOffline(true);
    await app.page.locator('main input[type=file]').setInputFiles(FILE);
    await app.page.getByRole('link', { name: '1 waiting' }).waitFor();
    await app.page.locator('.uploads').waitFor({ state: 'detached' });
    await app.context.setOffline(false);
    await app.page.getByRole('link', { name: '1 waiting' }).waitFor({ state: 'detached' });
    await app.page.locator('.tile').waitFor();
    assert.equal((await stored(service)).length, 1);
  });

  test('say why one is refused', async (t) => {
    const { page, service } = await openTrattoria(t, { refusals: [400] });
    const buffer = Buffer.from('no picture at all');
    await page.locator('main input[type=file]').setInputFiles({ ...FILE, buffer });
    await page.locator('.uploads [role=alert]').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.locator('.uploads').waitFor({ state: 'detached' });
    assert.deepEqual(await stored(service), []);
  });

  test('stand as thumbnails alone, thirty of them without a refusal', async (t) => {
    const { page, requests, service } = await openTrattoria(t, {
      as: 'visitor',
      photos: 30,
      viewport: PHONE,
    });
    const refused: number[] = [];
    page.on('response', (response) => response.status() >= 400 && refused.push(response.status()));
    await page.locator('.tile').nth(29).scrollIntoViewIfNeeded();
    await page.getByText('30 of 30').waitFor();
    for (let at = 0; at < 30; at += 1) await page.locator('.tile').nth(at).scrollIntoViewIfNeeded();
    await holds(
      page,
      `[...document.querySelectorAll('.tile img')].every((one) => one.complete && one.naturalWidth > 0)`,
    );
    const photos = await stored(service);
    const files = requests.filter((one) => one.includes('/uploads/'));
    assert.deepEqual(new Set(files), new Set(photos.map((photo) => `GET ${textOf(photo, 'thumbnail_url')}`)));
    assert.deepEqual(refused, []);
  });

  mainPath('are looked at by arrows, and give the focus back', async (t) => {
    const { page } = await openTrattoria(t, { as: 'visitor', photos: 7 });
    await page.getByText('+2 photos').waitFor();
    const second = page.locator('.tile a').nth(1);
    await second.focus();
    await press(page, 'Enter');
    await page.getByRole('heading', { name: 'Photo 2 of 7: Trattoria da Enzo' }).waitFor();
    await press(page, 'ArrowRight', 'ArrowRight', 'ArrowLeft');
    await page.getByRole('heading', { name: 'Photo 3 of 7' }).waitFor();
    await page.getByRole('button', { name: 'Next photo' }).click();
    await press(page, 'ArrowRight');
    await page.getByRole('heading', { name: 'Photo 5 of 7' }).waitFor();
    await press(page, 'Escape');
    await page.waitForURL(`**${PATH}`);
    await holds(page, `document.activeElement === document.querySelectorAll('.tile a')[1]`);
  });

  test('get a caption later, and go and come back, by their author or an administrator', async (t) => {
    const other = await openTrattoria(t, { as: 'bob', photos: 2, path: `${PATH}/photos/1` });
    const { service, alice, bob } = other;
    assert.equal(await other.page.getByRole('button', { name: 'Edit caption' }).count(), 0);
    makeAdmin(service, bob);
    const { page } = await openApp(t, service, { path: PATH, user: alice });
    await page.locator('.tile a').first().click();
    await page.getByRole('button', { name: 'Edit caption' }).click();
    await holds(page, `document.activeElement?.matches('input')`);
    await page.keyboard.type('Cacio e pepe');
    await press(page, 'Enter');
    await page.getByText('The caption is saved').waitFor();
    await holds(page, `document.activeElement?.matches('[aria-label="Edit caption"]')`);
    assert.equal(field((await stored(service))[0], 'caption'), 'Cacio e pepe');
    await page.getByRole('button', { name: 'Delete photo' }).click();
    await page.getByText('The photo is deleted').waitFor();
    await page.waitForURL(`**${PATH}`);
    assert.equal((await stored(service)).length, 1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByAltText('Cacio e pepe').waitFor();
    await other.page.reload();
    await other.page.getByRole('button', { name: 'Edit caption' }).waitFor();
  });
});
