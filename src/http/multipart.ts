import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import type { RequestContext } from './context.ts';
import { badRequest } from './errors.ts';
import type { Claim } from './idempotency.ts';

/** Handles the parts of a form as they arrive. */
export interface FormParts {
  /** `value` is undefined if it is not valid text; `valueTruncated` is true if the parser cut it. */
  readonly takeField: (
    name: string,
    value: string | undefined,
    cut: { readonly valueTruncated: boolean },
  ) => void;
  /** Writes a file, whose name at the client is `givenName`; returns undefined to ignore it. */
  readonly takeFile: (
    name: string,
    content: AsyncIterable<Buffer>,
    givenName: string | undefined,
  ) => Promise<void> | undefined;
}

type Form = Pick<RequestContext, 'request' | 'watchBody' | 'recheck' | 'idempotency'>;

const MAX_PARTS = 20;
// Two more than a form may have, so that a second photo and a second thumbnail are both detected.
const MAX_FILES = 4;
// Fits a caption of 255 four-byte characters, with room for markup that is removed.
const MAX_FIELD_BYTES = 64 * 1024;
// A field and the lines around it.
const SEEN_BYTES = MAX_FIELD_BYTES + 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Streams the parts of a form to `parts`. Once it settles, nothing is being written. Rejects with 400 if the body is
 * not a form, 413 if it is too large, 401 or 403 if the caller lost its rights meanwhile, or with the failure of the
 * disk or a ClientGoneError.
 */
export async function receiveParts(context: Form, parts: FormParts): Promise<void> {
  const parser = createParser(context.request);
  const writing: Promise<void>[] = [];
  try {
    await feed(context, parser, parts, writing);
  } finally {
    // If one fails, the others must not go on writing.
    await Promise.allSettled(writing);
  }
  // Writing may have failed long after the parser was done.
  await Promise.all(writing);
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
 * the rest of the body, so that the client gets to read the response. Adds the files being written to `writing`.
 */
function feed(
  { request, watchBody, idempotency }: Form,
  parser: Busboy,
  parts: FormParts,
  writing: Promise<void>[],
): Promise<void> {
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
    const wasSent = watchText(parser);
    // The parser has no value for a charset that it does not know.
    parser.on('field', (name, value: string | undefined, cut) => {
      idempotency?.form.addField(name, value ?? '');
      parts.takeField(name, value !== undefined && wasSent(value) ? value : undefined, cut);
    });
    let file: Readable | undefined;
    parser.on('file', (name, stream, { filename }) => {
      file = stream;
      // Never removed either; the reader of the file listens as well.
      stream.on('error', () => undefined);
      const written = parts.takeFile(name, contentOf(stream, name, idempotency), filename);
      if (!written) {
        stream.resume();
        return;
      }
      written.catch(fail);
      writing.push(written);
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

/**
 * Returns a function that says, while a field is handled, whether its value has no character but those sent. The parser
 * puts U+FFFD in place of invalid bytes, but clients may also send that character.
 */
function watchText(parser: Busboy): (value: string) => boolean {
  const write = parser._write.bind(parser);
  const seen: Buffer[] = [];
  let bytes = 0;
  parser._write = (chunk: Buffer, encoding, done) => {
    // Not so much that a field which ends in this chunk is no longer there in full.
    while (bytes - (seen[0]?.length ?? 0) >= SEEN_BYTES) bytes -= seen.shift()?.length ?? 0;
    seen.push(chunk);
    bytes += chunk.length;
    write(chunk, encoding, done);
  };
  return (value) => !value.includes('\ufffd') || Buffer.concat(seen).includes(`\r\n\r\n${value}\r\n--`);
}

async function* contentOf(stream: Readable, name: string, claim: Claim | undefined): AsyncGenerator<Buffer> {
  const see = claim?.form.addFile(name);
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) throw new Error('a file must come as bytes');
    see?.(chunk);
    yield chunk;
  }
}
