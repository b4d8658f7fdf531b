import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.ts';
import { type Answer, type Client, bodyOf, textOf } from './client.ts';
import { sample } from './images.ts';
import { type Service, type Variables, startService } from './service.ts';

const BOUNDARY = '----the boundary of the tests'.replaceAll(' ', '-');

/** A part of a form; with a file name it is a file. */
export interface Part {
  readonly name?: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: Buffer | string;
}

/** The Content-Type of `form`. */
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** The head of a request with a form of so many bytes, and further header lines. */
export function formHead(path: string, length: number, ...lines: readonly string[]): string {
  const all = [`Content-Type: ${FORM_TYPE}`, `Content-Length: ${length}`, ...lines];
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${all.join('\r\n')}\r\n\r\n`;
}

/** A form as browsers send it, byte by byte. */
export function form(...parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ name, filename, type, content }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data`,
    ...(name === undefined ? [] : [`; name="${name}"`]),
    ...(filename === undefined ? [] : [`; filename="${filename}"`]),
    ...(type === undefined ? [] : [`\r\nContent-Type: ${type}`]),
    '\r\n\r\n',
    content,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)));
}

/** The part that holds a photo. */
export function photoPart(content: Buffer = sample('baseline')): Part {
  return { name: 'photo', filename: 'menu.jpg', type: 'image/jpeg', content };
}

/** Sends a body as a form to restaurant 1, unless another is named. */
export function sendForm(
  api: Client,
  body: Buffer,
  type = FORM_TYPE,
  path = '/api/restaurants/1/photos',
): Promise<Answer> {
  return api.send(path, { method: 'POST', headers: { 'Content-Type': type }, body: new Uint8Array(body) });
}

/** Uploads a photo for restaurant 1, with a caption if one is given. Throws when that is refused. */
export async function upload(
  api: Client,
  content: Buffer = sample('baseline'),
  caption?: string,
): Promise<Answer> {
  const more = caption === undefined ? [] : [{ name: 'caption', content: caption }];
  const answer = await sendForm(api, form(photoPart(content), ...more));
  bodyOf(answer);
  return answer;
}

/** A service with restaurant 1. */
export async function startWithRestaurant(t: Cleanup, variables: Variables = {}): Promise<Service> {
  const service = await startService(t, variables);
  await service.api.post('/restaurants', { name: 'Chez Nous' });
  return service;
}

/** The files that a data folder holds of photos, uploads under way included: paths in its folder `photos`. */
export function storedFiles(folder: string): string[] {
  const entries = readdirSync(join(folder, 'photos'), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, 'photos').length + 1))
    .sort();
}

/** Where a photo's file is in the folder `photos`. */
export function placeOf(photo: unknown): string {
  const filename = textOf(photo, 'filename');
  return join(filename.slice(0, 2), filename);
}

/** The part that holds a thumbnail. */
export function thumbnailPart(content: Buffer = sample('lossy')): Part {
  return { name: 'thumbnail', filename: 'small.webp', type: 'image/webp', content };
}

/** A JPEG file that says that it has so many pixels, and has so many bytes at least. */
export function jpegOf(width: number, height: number, bytes = 0): Buffer {
  const jpeg = sample('baseline');
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  jpeg.writeUInt16BE(height, frame + 5);
  jpeg.writeUInt16BE(width, frame + 7);
  const padding = Buffer.alloc(Math.max(0, bytes - jpeg.length));
  return Buffer.concat([jpeg.subarray(0, -2), padding, jpeg.subarray(-2)]);
}

/** Where a photo's thumbnail is in the folder `photos`. */
export function thumbnailPlaceOf(photo: unknown): string {
  const filename = textOf(photo, 'thumbnail_url').slice('/api/uploads/menu_photos/'.length);
  return join(filename.slice(0, 2), filename);
}

/** Where the files of a photo with a thumbnail are, sorted. */
export function placesOf(photo: unknown): string[] {
  return [placeOf(photo), thumbnailPlaceOf(photo)].sort();
}

/** Uploads a photo with a thumbnail for restaurant 1. Throws when that is refused. */
export async function uploadWithThumbnail(api: Client, thumbnail?: Buffer): Promise<unknown> {
  return bodyOf(await sendForm(api, form(photoPart(), thumbnailPart(thumbnail))));
}
