import { Socket } from 'node:net';

type Headers = Readonly<Record<string, string>>;

const BROKEN: ReadonlyMap<string, readonly [number, string, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'Request Header Fields Too Large', 'Request headers are too large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'Request Timeout', 'Request took too long to arrive']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', [413, 'Content Too Large', 'Chunk extensions are too large']],
]);

/** Answers what the HTTP parser refused; Node's own answer has no body. */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: NodeJS.WritableStream,
  headers: Headers,
): void {
  const answered =
    socket instanceof Socket && socket.bytesWritten > 0 && error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (error.code === 'ECONNRESET' || !socket.writable || answered) {
    if (socket instanceof Socket) socket.destroy();
    return;
  }
  const [status, reason, message] = BROKEN.get(error.code ?? '') ?? [
    400,
    'Bad Request',
    'Malformed HTTP request',
  ];
  socket.end(rawAnswer(status, reason, message, headers));
  if (socket instanceof Socket) socket.destroySoon();
}

/** A whole answer in the error form, for a connection that has no response to write to. */
export function rawAnswer(status: number, reason: string, message: string, headers: Headers): string {
  const body = JSON.stringify({ error: message });
  return [
    `HTTP/1.1 ${String(status)} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
