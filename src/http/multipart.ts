import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import type { RequestContext } from './context.ts';
import { badRequest } from './errors.ts';

/** Handles the parts of a form as they arrive. */
export interface FormParts {
  /** `valueTruncated` is true if the parser cut the value. */
  readonly takeField: (name: string, value: string, cut: { readonly valueTruncated: boolean }) => void;
  /** `givenName` is the client's file name. `fail` reports that the file cannot be written. */
  readonly takeFile: (
    name: string,
    stream: Readable,
    givenName: string | undefined,
    fail: (error: Error) => void,
  ) => void;
  /** Settles once nothing is being written any more; rejects if writing failed. */
  readonly written: () => Promise<void>;
}

type Form = Pick<RequestContext, 'request' | 'watchBody' | 'recheck'>;

const MAX_PARTS = 20;
// Two more than a form may have, so that a second photo and a second thumbnail are both detected.
const MAX_FILES = 4;
// Fits a caption of 255 four-byte characters, with room for markup that is removed.
const MAX_FIELD_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Streams the parts of a form to `parts`. Once it settles, nothing is being written. Rejects with 400 if the body is
 * not a form, 413 if it is too large, 401 or 403 if the caller lost its rights meanwhile, or with the failure of the
 * disk or a ClientGoneError.
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
 * Feeds the body to the parser and settles exactly once, whatever happens. It then detaches the parser and discards
 * the rest of the body, so that the client gets to read the response.
 */
function feed({ request, watchBody }: Form, parser: Busboy, parts: FormParts): Promise<void> {
  return new Promise((resolve, reject) => {
    const detach = (): void => {
      stopWatching();
      request.off('end', finish);
      request.unpipe(parser).resume();
      // The parser may still finish its last input. Destroying it also ends an open file.
      parser.removeAllListeners('file').destroy();
    };
    const fail = (error: Error): void => {
      detach();
      reject(error);
    };
    const stopWatching = watchBody(fail);
    // Never removed: the parser reports some faults twice, and an unhandled one ends the process.
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
    // Called once the parser has seen everything. A file still open then started after the end of the form; the parser
    // would never end it, and wait for it forever.
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
