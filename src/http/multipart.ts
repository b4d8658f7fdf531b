import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import type { RequestContext } from './context.ts';
import { badRequest } from './errors.ts';

/** Takes the parts of a form as they arrive. */
export interface FormParts {
  /** `valueTruncated`: whether the parser has cut the value. */
  readonly takeField: (name: string, value: string, cut: { readonly valueTruncated: boolean }) => void;
  /** `givenName` is the client's name for the file. `fail` is called when it cannot be written. */
  readonly takeFile: (
    name: string,
    stream: Readable,
    givenName: string | undefined,
    fail: (error: Error) => void,
  ) => void;
  /** Settles when nothing is being written any more; rejects when that failed. */
  readonly written: () => Promise<void>;
}

type Form = Pick<RequestContext, 'request' | 'watchBody' | 'recheck'>;

const MAX_PARTS = 20;
// Two more than a form may have, so that a second photo and a second thumbnail are both seen.
const MAX_FILES = 4;
// A caption of 255 characters in four bytes each, with room for markup that is removed.
const MAX_FIELD_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Reads a form whose parts go to `parts` piece by piece as it arrives. Once it settles, nothing is being written. Rejects
 * with 400 when the body is not a form, 413 when it is too large, with 401 or 403 when the caller's rights ended meanwhile,
 * and with the failure of the disk or of a client that goes away.
 */
export async function receiveParts(context: Form, parts: FormParts): Promise<void> {
  const parser = createParser(context.request);
  try {
    await feed(context, parser, parts);
  } finally {
    await Promise.allSettled([parts.written()]);
  }
  // Writing may have failed long after the parser was done.
  await parts.written();
  context.recheck();
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
 * Feeds the body to the parser. Whatever happens, and however often, this settles once; then the parser is detached and the
 * rest of the body is read and dropped, so that the client gets to see the answer.
 */
function feed({ request, watchBody }: Form, parser: Busboy, parts: FormParts): Promise<void> {
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
    // Never removed: the parser reports some faults twice, and an unheard one ends the process.
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
    parser.on('field', parts.takeField);
    let file: Readable | undefined;
    parser.on('file', (name, stream, { filename }) => {
      file = stream;
      // Never removed either; the reader of the file listens as well.
      stream.on('error', () => undefined);
      parts.takeFile(name, stream, filename, fail);
    });
    // Called once the parser has seen everything. A file that is still open then began after the end of the form: the
    // parser never ends it, and would wait for it for ever.
    const finish = (): void => {
      parser.write(NOTHING, () => {
        file?.push(null);
        parser.end();
      });
    };
    request.on('end', finish);
    request.pipe(parser, { end: false });
  });
}
