import { once } from 'node:events';
import { type IncomingHttpHeaders, IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** An answer as it came over the wire: nothing is decoded. */
export interface BytesAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks without any header of its own. Rejects when the answer breaks off. */
export async function askBytes(
  address: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<BytesAnswer> {
  const answer = await openBytes(address, headers, method);
  const pieces: unknown[] = [];
  for await (const piece of answer) pieces.push(piece);
  const body = Buffer.concat(pieces.filter((piece) => Buffer.isBuffer(piece)));
  return { status: answer.statusCode ?? 0, headers: answer.headers, body };
}

/** The same with the body left to be read. */
export async function openBytes(
  address: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<IncomingMessage> {
  const asking = request(address, { method, headers, agent: false });
  asking.end();
  const given: readonly unknown[] = await once(asking, 'response');
  const [answer] = given;
  if (!(answer instanceof IncomingMessage)) throw new Error('no answer');
  return answer;
}

/** The body of an answer as it was before it was compressed. */
export function decodedBody({ headers, body }: BytesAnswer): Buffer {
  return decoded(body, headers['content-encoding']);
}

/** A body as it was before it was compressed with the coding, if it was. */
export function decoded(body: Buffer, coding: string | undefined): Buffer {
  switch (coding) {
    case undefined:
      return body;
    case 'br':
      return brotliDecompressSync(body);
    default:
      return gunzipSync(body);
  }
}
