import { type FileHandle, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { RequestContext } from '../../http/context.ts';
import { receiveParts } from '../../http/multipart.ts';
import { together } from '../../kit/files.ts';
import type { FormDigest } from '../../kit/input/form-digest.ts';
import { looksLikeImage } from '../images/image.ts';
import { THUMBNAIL_FAULT } from './files.ts';

/** The contents of a form, without its files. */
export interface UploadForm {
  /** The client's name for the file. */
  readonly filename: string | undefined;
  readonly caption: string | undefined;
  /** The names of other fields. */
  readonly others: readonly string[];
  /** True if there is a file that may be a thumbnail. */
  readonly hasThumbnail: boolean;
  /** Why the form is refused; empty if it is accepted. */
  readonly faults: readonly string[];
}

/** The destinations of a form's files, and the digest of the whole form. */
export interface FormFiles {
  readonly photo: FileHandle;
  readonly openThumbnail: () => Promise<FileHandle>;
  readonly digest?: FormDigest | undefined;
}

type See = (content: Buffer) => void;

const SIGNATURE_BYTES = 12;
const REQUIRED = 'photo is required';

/**
 * Reads a form with a file `photo`, streamed to disk, an optional file `thumbnail`, for which `openThumbnail` is called, and
 * a text `caption`. An empty thumbnail counts as absent. `digest` covers everything in a form without faults. Rejects like
 * `receiveParts`.
 */
export async function receiveForm(
  context: Pick<RequestContext, 'request' | 'watchBody' | 'recheck'>,
  { photo: handle, openThumbnail, digest }: FormFiles,
): Promise<UploadForm> {
  const photoFaults: string[] = [];
  const thumbnailFaults: string[] = [];
  const captionFaults: string[] = [];
  const others: string[] = [];
  let filename: string | undefined;
  let caption: string | undefined;
  let photo: Promise<void> | undefined;
  let thumbnail: Promise<void> | undefined;
  let hasFile = false;
  let hasThumbnail = false;

  function takeField(
    name: string,
    value: string,
    { valueTruncated: isCut }: { valueTruncated: boolean },
  ): void {
    digest?.addField(name, value);
    if (name === 'photo') photoFaults.push('photo must be a file');
    else if (name === 'thumbnail') {
      if (value !== '') thumbnailFaults.push(THUMBNAIL_FAULT);
    } else if (name === 'caption') {
      if (caption !== undefined) captionFaults.push('caption must be given once');
      else if (isCut) captionFaults.push('caption is too long');
      // The decoder's replacement for bytes that are not UTF-8.
      else if (value.includes('\ufffd')) captionFaults.push('caption is not valid UTF-8');
      caption = value;
    } else others.push(name);
  }

  function takeFile(
    name: string,
    stream: Readable,
    givenName: string | undefined,
    fail: (error: Error) => void,
  ): void {
    if (name === 'thumbnail' && !thumbnail) {
      thumbnail = saveThumbnail(stream, digest?.addFile(name));
      thumbnail.catch(fail);
    } else if (name === 'thumbnail') {
      thumbnailFaults.push('thumbnail must be given once');
      stream.resume();
    } else if (name === 'photo' && !hasFile) {
      hasFile = true;
      filename = givenName;
      photo = savePhoto(stream, digest?.addFile(name));
      photo.catch(fail);
    } else {
      photoFaults.push(hasFile ? 'photo must be given once' : 'the file must be in the field photo');
      hasFile = true;
      stream.resume();
    }
  }

  async function savePhoto(stream: Readable, see?: See): Promise<void> {
    const { size, isImage } = await save(stream, handle, see);
    if (size === 0) photoFaults.push(REQUIRED);
    else if (!isImage) photoFaults.push('photo must be a JPEG, PNG or WebP image');
  }

  async function saveThumbnail(stream: Readable, see?: See): Promise<void> {
    const { size, isImage } = await save(stream, await openThumbnail(), see);
    hasThumbnail = isImage;
    if (size > 0 && !isImage) thumbnailFaults.push(THUMBNAIL_FAULT);
  }

  async function written(): Promise<void> {
    // If one fails, the other must not go on writing.
    await Promise.allSettled([photo, thumbnail]);
    await Promise.all([photo, thumbnail]);
  }

  await receiveParts(context, { takeField, takeFile, written });
  if (!photo && photoFaults.length === 0) photoFaults.push(REQUIRED);
  const faults = [...photoFaults, ...thumbnailFaults, ...captionFaults];
  return { filename, caption, others, hasThumbnail, faults };
}

/** Writes a file if its first bytes are those of an image, and passes its pieces to `see`. */
async function save(
  stream: Readable,
  handle: FileHandle,
  see: See = () => undefined,
): Promise<{ readonly size: number; readonly isImage: boolean }> {
  let size = 0;
  let isImage: boolean | undefined;
  async function* image(): AsyncGenerator<Buffer> {
    let head = Buffer.alloc(0);
    for await (const chunk of stream) {
      if (!Buffer.isBuffer(chunk)) throw new Error('a file must come as bytes');
      size += chunk.length;
      see(chunk);
      if (isImage === undefined) {
        head = Buffer.concat([head, chunk]);
        if (head.length < SIGNATURE_BYTES) continue;
        isImage = looksLikeImage(head.subarray(0, SIGNATURE_BYTES));
        if (isImage) yield head;
      } else if (isImage) yield chunk;
    }
  }
  await writeFile(handle, together(image()));
  return { size, isImage: isImage === true };
}
