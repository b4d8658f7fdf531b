import { type Chunks, MAX_RECORD } from './source.ts';

/** One line of a text file, or why it could not be read. */
export type Line =
  { readonly line: number; readonly text: string } | { readonly line: number; readonly fault: string };

const LINE_FEED = 0x0a;

/** Lines of a file in UTF-8 as it arrives; of a line over 1 MiB no more than that is ever in memory. */
export async function* readLines(chunks: Chunks): AsyncGenerator<Line> {
  let line = 1;
  let parts: Uint8Array[] = [];
  let size = 0;

  function add(part: Uint8Array): void {
    size += part.length;
    if (size <= MAX_RECORD) parts.push(part);
    else parts = [];
  }

  function take(): Line {
    const taken = size > MAX_RECORD ? { line, fault: 'the line is longer than 1 MiB' } : decoded(line, parts);
    line += 1;
    parts = [];
    size = 0;
    return taken;
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (size > 0) yield take();
}

function decoded(line: number, parts: readonly Uint8Array[]): Line {
  try {
    return { line, text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)) };
  } catch {
    return { line, fault: 'the line is not valid UTF-8' };
  }
}
