import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

type Texts = Readonly<Record<string, string>>;

/** An answer as it came over the wire: nothing is decoded. */
export interface BytesAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks without any header of its own. Rejects when the answer breaks off. */
export async function askBytes(address: string, headers: Texts = {}, method = 'GET'): Promise<BytesAnswer> {
  return readWhole(await openBytes(address, headers, method));
}

/** The same with the body left to be read. */
export function openBytes(address: string, headers: Texts = {}, method = 'GET'): Promise<IncomingMessage> {
  return answerTo(request(address, { method, headers, agent: false }).end());
}

/** The answer to a request, with the body left to be read. */
export function answerTo(asking: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asking.once('response', resolve);
    asking.on('error', reject);
  });
}

/** All of an answer. Rejects when it breaks off. */
export async function readWhole(answer: IncomingMessage): Promise<BytesAnswer> {
  const body = await buffer(answer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body };
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
