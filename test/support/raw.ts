import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { SCALE } from './size.ts';

/** One answer read from a raw connection. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A connection from one address of this machine, such as 127.0.0.2. Rejects when it cannot be had. */
export function openFrom(localAddress: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

/** Sends bytes as they are and returns everything that came back until the other side closed or fell silent. */
export async function sendRaw(
  port: number,
  bytes: string | Buffer,
  silenceMs = 300,
  address = '127.0.0.1',
): Promise<string> {
  const socket = connect(port, address);
  socket.write(bytes);
  return readUntilQuiet(socket, silenceMs);
}

/** All that a socket receives until it is closed or nothing has come for a while; the socket is closed then. */
export async function readUntilQuiet(socket: Socket, silenceMs = 300): Promise<string> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    let timer = setTimeout(resolve, silenceMs * 10);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(resolve, silenceMs);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  socket.destroy();
  return Buffer.concat(chunks).toString();
}

/** What comes next on a connection. Rejects when nothing does. */
export async function nextData(socket: Socket): Promise<string> {
  const signal = AbortSignal.timeout(60_000);
  const data: unknown[] = await once(socket, 'data', { signal }).catch((error: unknown) => {
    throw new Error('nothing came on the connection', { cause: error });
  });
  return String(data[0]);
}

/** Sends the head of a request and, once it is invited by 100 Continue, its body; throws without the invitation. */
export async function sendInvited(
  port: number,
  head: string,
  body: Buffer,
  silenceMs?: number,
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(head);
  assert.equal(await nextData(socket), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body);
  return readUntilQuiet(socket, silenceMs);
}

/**
 * Sends the first bytes of a request, none of them, one, and so on up to `most`, and goes away each time. Below the scale 1
 * it is one number in seven, and `most`.
 */
export async function leaveAnywhere(port: number, request: Buffer, most: number): Promise<void> {
  const step = SCALE < 1 ? 7 : 1;
  const ends = Array.from({ length: most + 1 }, (_, index) => index).filter(
    (index) => index % step === 0 || index === most,
  );
  while (ends.length > 0)
    await Promise.all(
      ends.splice(0, 16).map(async (end) => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        await new Promise((resolve) => socket.write(request.subarray(0, end), resolve));
        if (end % 2 === 0) socket.destroy();
        else socket.resetAndDestroy();
      }),
    );
}

/** Why what reads /proc cannot be tested here; false where it can. */
export const NO_PROC = !existsSync('/proc/self') && 'needs /proc (Linux)';

/**
 * How many files and connections a process has open. Pipes and the system's own handles are left out: a thread that the
 * service starts when it first needs it opens some of these and keeps them.
 */
export function openFilesOf(pid: number | undefined): number {
  const folder = `/proc/${pid ?? 0}/fd`;
  return readdirSync(folder).filter((file) => {
    try {
      return !/^(?:pipe|anon_inode):/.test(readlinkSync(`${folder}/${file}`));
    } catch {
      // It was closed after the folder was read, as the folder itself is.
      return false;
    }
  }).length;
}

/** The answers in what a connection gave, told apart by their Content-Length or by their chunks. */
export function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const head = end === -1 ? rest : rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
    const behind = end === -1 ? '' : rest.slice(end + 4);
    const framed = /^transfer-encoding: chunked$/im.test(head)
      ? readChunks(behind)
      : readLength(head, behind);
    answers.push({ status, head, body: framed.body });
    rest = framed.rest;
  }
  return answers;
}

interface Framed {
  readonly body: string;
  readonly rest: string;
}

function readLength(head: string, text: string): Framed {
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  return { body: text.slice(0, length), rest: text.slice(length) };
}

/** A body in chunks, which must be of one byte a character. An answer to HEAD announces chunks and has none. */
function readChunks(text: string): Framed {
  let [body, rest] = ['', text];
  for (;;) {
    const [line, size = ''] = /^([0-9a-f]+)\r\n/i.exec(rest) ?? [''];
    const length = parseInt(size, 16);
    if (line === '') return { body, rest };
    body += rest.slice(line.length, line.length + length);
    rest = rest.slice(line.length + length + 2);
    if (length === 0) return { body, rest };
  }
}

/** Gets paths under /api at once, each on a connection of its own. The answers are in the order of the paths. */
export function askTogether(port: number, paths: readonly string[]): Promise<RawAnswer[]> {
  const requests = paths.map((path) => ({ line: `GET /api${path}`, body: '' }));
  return sendTogether(port, requests);
}

/** Sends requests with JSON likewise. */
export async function sendTogether(
  port: number,
  requests: readonly { readonly line: string; readonly body: string }[],
): Promise<RawAnswer[]> {
  const connected = await Promise.all(
    requests.map(async ({ line, body }) => {
      const type =
        body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
      const head = [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...type, '', ''].join('\r\n');
      return { socket: await openFrom('127.0.0.1', port), text: head + body };
    }),
  );
  const answers = await Promise.all(
    connected.map(({ socket, text }) => {
      socket.write(text);
      return readUntilQuiet(socket, 10_000);
    }),
  );
  return answers.flatMap(parseAnswers);
}

/** One request with these headers, `Host` among them, on a connection of its own. Throws when nothing comes back. */
export async function askOnce(
  port: number,
  line: string,
  headers: readonly string[],
  body = '',
  address?: string,
): Promise<RawAnswer> {
  const more = ['Connection: close', ...(body === '' ? [] : [`Content-Length: ${body.length}`])];
  const head = [`${line} HTTP/1.1`, ...headers, ...more, '', ''].join('\r\n');
  const [answer] = parseAnswers(await sendRaw(port, head + body, 10_000, address));
  if (!answer) throw new Error(`no answer to ${line}`);
  return answer;
}
