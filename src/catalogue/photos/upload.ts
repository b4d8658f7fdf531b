import { type FileHandle, writeFile } from 'node:fs/promises';
import type { RequestContext } from '../../http/context.ts';
import { receiveParts } from '../../http/multipart.ts';
import { together } from '../../kit/files.ts';
import { type Parsed, cleanFilename, parsed, readFields } from '../../kit/input/fields.ts';
import { looksLikeImage } from '../images/image.ts';
import { THUMBNAIL_FAULT } from './files.ts';
import { captionField } from './input.ts';
import { PHOTO_ANSWER, type PhotoRecord } from './record.ts';

/** A form, whose files were written. */
export interface UploadForm {
  readonly fields: Parsed<Pick<PhotoRecord, 'caption' | 'original_filename'>>;
  /** True if there is a file that may be a thumbnail. */
  readonly hasThumbnail: boolean;
}

const SIGNATURE_BYTES = 12;
const REQUIRED = 'photo is required';

/**
 * Reads a form with a file `photo`, streamed to disk, an optional file `thumbnail`, for which `openThumbnail` is called, and
 * a text `caption`. An empty thumbnail counts as absent. Rejects like `receiveParts`.
 */
export async function receiveForm(
  context: Pick<RequestContext, 'request' | 'watchBody' | 'recheck' | 'idempotency'>,
  {
    photo: handle,
    openThumbnail,
  }: { readonly photo: FileHandle; readonly openThumbnail: () => Promise<FileHandle> },
): Promise<UploadForm> {
  const photoFaults: string[] = [];
  const thumbnailFaults: string[] = [];
  const captionFaults: string[] = [];
  const others: string[] = [];
  let filename: string | undefined;
  let caption: string | undefined;
  let hasFile = false;
  let photos = 0;
  let hasThumbnailField = false;
  let hasThumbnail = false;

  function takeField(
    name: string,
    value: string | undefined,
    { valueTruncated: isCut }: { valueTruncated: boolean },
  ): void {
    if (name === 'photo') photoFaults.push('photo must be a file');
    else if (name === 'thumbnail') {
      if (value !== '') thumbnailFaults.push(THUMBNAIL_FAULT);
    } else if (name === 'caption') {
      if (caption !== undefined) captionFaults.push('caption must be given once');
      else if (isCut) captionFaults.push('caption is too long');
      else if (value === undefined) captionFaults.push('caption is not valid UTF-8');
      caption = value ?? '';
    } else others.push(name);
  }

  function takeFile(
    name: string,
    content: AsyncIterable<Buffer>,
    givenName: string | undefined,
  ): Promise<void> | undefined {
    if (name === 'thumbnail' && !hasThumbnailField) {
      hasThumbnailField = true;
      return saveThumbnail(content);
    }
    if (name === 'thumbnail') {
      thumbnailFaults.push('thumbnail must be given once');
      return undefined;
    }
    if (name === 'photo' && !hasFile) {
      hasFile = true;
      photos += 1;
      filename = givenName;
      return savePhoto(content);
    }
    photoFaults.push(hasFile ? 'photo must be given once' : 'the file must be in the field photo');
    hasFile = true;
    return undefined;
  }

  async function savePhoto(content: AsyncIterable<Buffer>): Promise<void> {
    const { size, isImage } = await save(content, handle);
    if (size === 0) photoFaults.push(REQUIRED);
    else if (!isImage) photoFaults.push('photo must be a JPEG, PNG or WebP image');
  }

  async function saveThumbnail(content: AsyncIterable<Buffer>): Promise<void> {
    const { size, isImage } = await save(content, await openThumbnail());
    hasThumbnail = isImage;
    if (size > 0 && !isImage) thumbnailFaults.push(THUMBNAIL_FAULT);
  }

  await receiveParts(context, { takeField, takeFile });
  if (photos === 0 && photoFaults.length === 0) photoFaults.push(REQUIRED);
  const body = { ...Object.fromEntries(others.map((name) => [name, ''])), caption };
  const faults = [...photoFaults, ...thumbnailFaults, ...captionFaults];
  const fields = { ...readFields(body, PHOTO_ANSWER), faults };
  const own = { caption: captionField(fields), original_filename: cleanFilename(filename) };
  return { fields: parsed(fields, own), hasThumbnail };
}

/** Writes a file if its first bytes are those of an image. */
async function save(
  content: AsyncIterable<Buffer>,
  handle: FileHandle,
): Promise<{ readonly size: number; readonly isImage: boolean }> {
  let size = 0;
  let isImage: boolean | undefined;
  async function* image(): AsyncGenerator<Buffer> {
    let head = Buffer.alloc(0);
    for await (const chunk of content) {
      size += chunk.length;
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
