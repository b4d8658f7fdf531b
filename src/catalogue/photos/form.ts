import { type FileHandle, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { looksLikeImage } from '../images/image.ts';
import { together } from './disk.ts';
import type { FormDigest } from '../../kit/input/form-digest.ts';
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

/** Where the files of a form go, and what is made of all of it. */
export interface FormFiles {
  readonly photo: FileHandle;
  readonly openThumbnail: () => Promise<FileHandle>;
  readonly digest?: FormDigest | undefined;
}

const SIGNATURE_BYTES = 12;
const REQUIRED = 'photo is required';
const TWICE = 'photo must be given once';
const NO_IMAGE = 'photo must be a JPEG, PNG or WebP image';

/** Whether the parser has cut the value of a field. */
interface Cut {
  readonly valueTruncated: boolean;
}

/** A form whose parts are being collected. */
export interface Form {
  readonly takeField: (name: string, value: string, cut: Cut) => void;
  /** `fail` is called when the file cannot be written. */
  readonly takeFile: (name: string, stream: Readable, givenName: string | undefined, fail: Fail) => void;
  /** No more of the file will come. */
  readonly endFile: () => void;
  /** Settles when nothing is written any more; rejects when that failed. */
  readonly written: () => Promise<void>;
  readonly result: () => UploadForm;
}

type Fail = (error: Error) => void;
/** Collects the parts of a form, and writes its files where they go. */
export function createForm({ photo: handle, openThumbnail, digest }: FormFiles): Form {
  const thumbnail = createThumbnailPart(openThumbnail);
  const photoFaults: string[] = [];
  const caption = createCaptionPart();
  const others: string[] = [];
  let filename: string | undefined;
  let file: Readable | undefined;
  let photo: Promise<void> | undefined;
  let hasFile = false;

  return {
    takeField: (name, value, { valueTruncated: isCut }) => {
      digest?.addField(name, value);
      if (name === 'photo') photoFaults.push('photo must be a file');
      if (name === 'thumbnail') thumbnail.takeText(value);
      if (name === 'caption') caption.take(value, isCut);
      else if (name !== 'photo' && name !== 'thumbnail') others.push(name);
    },
    takeFile: (name, stream, givenName, fail) => {
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
    endFile: () => file?.push(null),
    written: async () => {
      // One that fails must not leave the other one to write on.
      await Promise.allSettled([photo, thumbnail.written()]);
      await Promise.all([photo, thumbnail.written()]);
    },
    result: () => {
      if (!photo && photoFaults.length === 0) photoFaults.push(REQUIRED);
      const faults = [...photoFaults, ...thumbnail.faults, ...caption.faults];
      return { filename, caption: caption.value(), others, hasThumbnail: thumbnail.isThere(), faults };
    },
  };
}

function createCaptionPart() {
  const faults: string[] = [];
  let caption: string | undefined;
  return {
    faults,
    value: (): string | undefined => caption,
    take: (value: string, isCut: boolean): void => {
      if (caption !== undefined) faults.push('caption must be given once');
      else if (isCut) faults.push('caption is too long');
      // The decoder's sign for bytes that are no UTF-8.
      else if (value.includes('\ufffd')) faults.push('caption is not valid UTF-8');
      caption = value;
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
