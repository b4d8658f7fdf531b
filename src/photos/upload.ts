import type { IncomingMessage } from 'node:http';
import { type FileHandle, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import busboy, { type Busboy, type FieldInfo } from 'busboy';
import type { RequestContext } from '../http/context.ts';
import { badRequest } from '../http/errors.ts';
import { together } from './disk.ts';
import type { FormDigest } from './form-digest.ts';
import { looksLikeImage } from '../images/image.ts';
import { THUMBNAIL_FAULT } from './thumbnail.ts';

/** The contents of a form besides its files. */
export interface UploadForm {
  /** As the client calls it. */
  readonly filename: string | undefined;
  readonly caption: string | undefined;
  /** The names of other fields. */
  readonly others: readonly string[];
  /** Whether there is a file that may be a thumbnail. */
  readonly hasThumbnail: boolean;
  /** Why the form is refused; empty when it is not. */
  readonly faults: readonly string[];
}

const MAX_PARTS = 20;
// As many more as a form may have, so that a second photo and a second thumbnail are both seen.
const MAX_FILES = 4;
// A caption of 255 characters in four bytes each, with room for markup that is removed.
const MAX_FIELD_BYTES = 64 * 1024;
const SIGNATURE_BYTES = 12;
const NOTHING = Buffer.alloc(0);
const REQUIRED = 'photo is required';
const TWICE = 'photo must be given once';
const NO_IMAGE = 'photo must be a JPEG, PNG or WebP image';

/** Where the files of a form go, and what is made of all of it. */
export interface FormFiles {
  readonly photo: FileHandle;
  readonly openThumbnail: () => Promise<FileHandle>;
  readonly digest?: FormDigest | undefined;
}

/**
 * Reads a form with a file `photo`, which goes into a file piece by piece as it arrives, perhaps a file `thumbnail`, for
 * which `openThumbnail` is called, and a text `caption`. A `digest` is made of all that a form without faults has.
 * Nothing is written any more once it settles. Throws 400 when the body is no form, 413 when it is
 * too large, and what the disk or a client that goes away makes of it.
 */
export async function receiveForm(
  context: Pick<RequestContext, 'request' | 'watchBody'>,
  files: FormFiles,
): Promise<UploadForm> {
  const parser = createParser(context.request);
  const form = createForm(files);
  try {
    await feed(context, parser, form);
  } finally {
    await Promise.allSettled([form.written()]);
  }
  // It may have failed when the parser had long been through.
  await form.written();
  return form.result();
}

function createParser({ headers }: IncomingMessage): Busboy {
  const limits = { parts: MAX_PARTS + 1, files: MAX_FILES, fieldSize: MAX_FIELD_BYTES, headerPairs: 20 };
  try {
    return busboy({ headers, limits, defParamCharset: 'utf8' });
  } catch {
    throw badRequest('Content-Type must name the boundary of the form');
  }
}

/**
 * Feeds the body to the parser. Whatever happens, and however often, this settles once; then the parser is left alone
 * and the rest of the body is read and dropped, so that the client gets to see the answer.
 */
function feed(
  { request, watchBody }: Pick<RequestContext, 'request' | 'watchBody'>,
  parser: Busboy,
  form: Form,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const detach = (): void => {
      stopWatching();
      request.off('end', finish);
      request.unpipe(parser).resume();
      // It may go on to the end of its last input. A file that is open goes with it.
      parser.removeAllListeners('file').destroy();
    };
    const fail = (error: Error): void => {
      detach();
      reject(error);
    };
    const stopWatching = watchBody(fail);
    // For good: the parser reports some faults twice, and one of those without a listener ends the process.
    parser.on('error', () => {
      fail(badRequest('Malformed multipart body'));
    });
    parser.on('partsLimit', () => {
      fail(badRequest(`Form must have at most ${MAX_PARTS} fields`));
    });
    parser.on('close', () => {
      detach();
      resolve();
    });
    parser.on('field', form.takeField);
    parser.on('file', (name, stream, { filename }) => {
      // Heard here for good too; the reader of the file hears it as well.
      stream.on('error', () => undefined);
      form.takeFile(name, stream, filename, fail);
    });
    // Once the parser has been through everything. Only then is it sure that a file still open will stay so: one that
    // begins behind the end of the form is never ended by the parser, which would wait for it for ever.
    const finish = (): void => {
      parser.write(NOTHING, () => {
        form.endFile();
        parser.end();
      });
    };
    request.on('end', finish);
    request.pipe(parser, { end: false });
  });
}

type Form = ReturnType<typeof createForm>;
type Fail = (error: Error) => void;

/** Collects the parts of a form; its files go where `files` says. */
function createForm({ photo: handle, openThumbnail, digest }: FormFiles) {
  const thumbnail = createThumbnailPart(openThumbnail);
  const photoFaults: string[] = [];
  const captionFaults: string[] = [];
  const others: string[] = [];
  let caption: string | undefined;
  let filename: string | undefined;
  let file: Readable | undefined;
  let photo: Promise<void> | undefined;
  let hasFile = false;

  return {
    takeField: (name: string, value: string, { valueTruncated: isCut }: FieldInfo): void => {
      digest?.addField(name, value);
      if (name === 'photo') photoFaults.push('photo must be a file');
      if (name === 'thumbnail') thumbnail.takeText(value);
      if (name !== 'caption') {
        if (name !== 'photo' && name !== 'thumbnail') others.push(name);
        return;
      }
      if (caption !== undefined) captionFaults.push('caption must be given once');
      else if (isCut) captionFaults.push('caption is too long');
      // The decoder's sign for bytes that are no UTF-8.
      else if (value.includes('\ufffd')) captionFaults.push('caption is not valid UTF-8');
      caption = value;
    },
    /** `fail` is called when the file cannot be written. */
    takeFile: (name: string, stream: Readable, givenName: string | undefined, fail: Fail): void => {
      file = stream;
      if (name === 'thumbnail') {
        thumbnail.takeFile(stream, fail, digest?.addFile(name));
        return;
      }
      if (name === 'photo' && !hasFile) {
        filename = givenName;
        const see = digest?.addFile(name);
        photo = savePhoto(stream, handle, see).then((faults) => void photoFaults.push(...faults));
        photo.catch(fail);
      } else {
        addOnce(photoFaults, hasFile ? TWICE : 'the file must be in the field photo');
        stream.resume();
      }
      hasFile = true;
    },
    /** No more of the file will come. */
    endFile: () => file?.push(null),
    /** Settles when nothing is written any more; rejects when that failed. */
    written: async (): Promise<void> => {
      // One that fails must not leave the other one to write on.
      await Promise.allSettled([photo, thumbnail.written()]);
      await Promise.all([photo, thumbnail.written()]);
    },
    result: (): UploadForm => {
      if (!photo && photoFaults.length === 0) photoFaults.push(REQUIRED);
      const faults = [...photoFaults, ...thumbnail.faults, ...captionFaults];
      return { filename, caption, others, hasThumbnail: thumbnail.isThere(), faults };
    },
  };
}

/** The part `thumbnail` of a form. An empty one counts as absent. */
function createThumbnailPart(open: () => Promise<FileHandle>) {
  const faults: string[] = [];
  let saved: Promise<void> | undefined;
  let isThere = false;

  async function saveIn(stream: Readable, see: See | undefined): Promise<void> {
    const { size, isImage } = await save(stream, await open(), see);
    isThere = size > 0 && isImage;
    if (size > 0 && !isImage) addOnce(faults, THUMBNAIL_FAULT);
  }

  return {
    faults,
    isThere: (): boolean => isThere,
    takeText: (value: string): void => {
      if (value !== '') addOnce(faults, THUMBNAIL_FAULT);
    },
    takeFile: (stream: Readable, fail: Fail, see: See | undefined): void => {
      if (saved) {
        addOnce(faults, 'thumbnail must be given once');
        stream.resume();
        return;
      }
      saved = saveIn(stream, see);
      saved.catch(fail);
    },
    written: (): Promise<void> => saved ?? Promise.resolve(),
  };
}

function addOnce(faults: string[], fault: string): void {
  if (!faults.includes(fault)) faults.push(fault);
}

/** Returns the faults of the photo. */
async function savePhoto(stream: Readable, handle: FileHandle, see?: See): Promise<readonly string[]> {
  const { size, isImage } = await save(stream, handle, see);
  if (size === 0) return [REQUIRED];
  return isImage ? [] : [NO_IMAGE];
}

type See = (content: Buffer) => void;

/** Writes a file, unless its first bytes are of no image, and shows it to `see`. */
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
