import type { IncomingMessage } from 'node:http';
import busboy, { type Busboy } from 'busboy';
import type { RequestContext } from '../http/context.ts';
import { badRequest } from '../http/errors.ts';
import { type Form, type FormFiles, type UploadForm, createForm } from './form.ts';

const MAX_PARTS = 20;
// As many more as a form may have, so that a second photo and a second thumbnail are both seen.
const MAX_FILES = 4;
// A caption of 255 characters in four bytes each, with room for markup that is removed.
const MAX_FIELD_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

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
