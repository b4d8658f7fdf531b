const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

/** Called at the end of every answer with its status, and whether the server closes the connection after it. */
export type OnAnswer = (status: number, closes: boolean) => void;

/**
 * Cuts what comes in on one connection into answers, by Content-Length or chunks, without storing or copying bodies, so
 * that it costs far less than making them does. The function that it returns accepts the bytes as they arrive.
 */
export function createAnswerReader(onAnswer: OnAnswer): (incoming: Buffer) => void {
  let rest: Buffer | undefined;
  let status = 0;
  let closes = false;
  let skip = 0;
  let within: 'nothing' | 'body' | 'chunks' | 'trailer' = 'nothing';

  function finish(): void {
    within = 'nothing';
    onAnswer(status, closes);
  }

  function readHead(head: string): void {
    status = Number(head.slice(9, 12));
    closes = /\r\nconnection: *close/i.test(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) skip = Number(length);
    if (status === 204 || status === 304 || length === '0') {
      skip = 0;
      finish();
    } else if (length !== undefined) within = 'body';
    else if (/\r\ntransfer-encoding: *chunked/i.test(head)) within = 'chunks';
    else throw new Error(`an answer without an end: ${head}`);
  }

  function readLine(line: string): void {
    if (within === 'trailer') {
      if (line === '') finish();
      return;
    }
    const size = Number.parseInt(line, 16);
    if (Number.isNaN(size)) throw new Error(`no size of a chunk: ${line}`);
    if (size === 0) within = 'trailer';
    else skip = size + LINE_END.length;
  }

  return (incoming) => {
    const data = rest === undefined ? incoming : Buffer.concat([rest, incoming]);
    rest = undefined;
    let at = 0;
    while (at < data.length) {
      if (skip > 0) {
        const step = Math.min(skip, data.length - at);
        at += step;
        skip -= step;
        if (skip === 0 && within === 'body') finish();
        continue;
      }
      const mark = within === 'nothing' ? HEAD_END : LINE_END;
      const end = data.indexOf(mark, at);
      if (end === -1) {
        rest = data.subarray(at);
        return;
      }
      const text = data.toString('latin1', at, end);
      at = end + mark.length;
      if (within === 'nothing') readHead(text);
      else readLine(text);
    }
  };
}
